// From rasters to a store, or to pages in memory: statistics, scale, rows of stops, pages, bounds.
//
// A store appears under its name only when whole. A failure of the data takes the part away; a kill or a full disk
// leaves it, and the same bake goes on with it, since its fingerprint covers the heights and every option that bears on
// them.
#include "arete/bake.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "stop_rows.h"

namespace arete {
namespace {

constexpr double kStatisticsShare = 0.25;  // of the progress
constexpr std::int64_t kMostSamplesInMemory = std::int64_t(1) << 30;

Progress part_of(const Progress& progress, double from, double to) {
  if (!progress) {
    return {};
  }
  return [&progress, from, to](double fraction) { progress(from + (to - from) * fraction); };
}

// What a bake holds besides its pages, at most.
constexpr std::int64_t kProgramBytes = std::int64_t(56) << 20;  // libraries, and records on their way to the file
constexpr std::int64_t kJobBytes = std::int64_t(1) << 20;       // a compressor, and a page in work
constexpr std::int64_t kDigestBytes = 32;                       // a page of lod 0, its share of coarser ones included
constexpr std::int64_t kBlockBytes = std::int64_t(128)
                                     << 20;  // of the file: cached and converted, where it is as large

// The bytes of `options.memory_bytes` that are free to keep pages in.
Result<std::size_t> page_room(const BakePlan& plan, const BakeOptions& options) {
  const Lattice& lattice = plan.lattice;
  const std::int64_t width = plan.info.source_width, samples = width * plan.info.source_height;
  const std::int64_t jobs = options.jobs > 0 ? options.jobs : std::int64_t(std::thread::hardware_concurrency());
  const std::int64_t digests = lattice.pages_x(0) * std::int64_t(lattice.pages_z(0)) * kDigestBytes;
  const std::int64_t row_of_pages = lattice.pages_x(0) * std::int64_t(kPlaneSamples * sizeof(std::uint16_t));
  const std::int64_t needed = kProgramBytes + jobs * kJobBytes + std::min(kBlockBytes, samples * 16) +
                              width * std::int64_t(8 * sizeof(double)) + plan.raster->most_bytes() +
                              build_bytes(lattice) + digests + row_of_pages;
  if (options.memory_bytes < needed) {
    constexpr std::int64_t kMebi = std::int64_t(1) << 20;
    return usage_error(fmt::format("{} x {} samples need {} MiB of memory to be baked, {} were allowed; allow more{}",
                                   width, plan.info.source_height, (needed + kMebi - 1) / kMebi,
                                   options.memory_bytes / kMebi,
                                   options.raster.fill_samples > 0 ? " or fill less" : ""));
  }
  // The allocator holds up to a third more than the pages: they come from many threads.
  return std::size_t((options.memory_bytes - needed) / 4 * 3 + row_of_pages);
}

void remove_part(const std::filesystem::path& output) {
  for (const char* ending : {".partial", ".partial-wal", ".partial-shm", ".partial-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(output.string() + ending, ignored);
  }
}

Result<void> check_output(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output) {
  std::error_code error;
  if (std::filesystem::is_directory(output, error)) {
    return usage_error(fmt::format("{}: is a folder; name a file for the store", output.string()));
  }
  const std::filesystem::path folder = output.has_parent_path() ? output.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) {
    return io_error(fmt::format("{}: the folder {} does not exist", output.string(), folder.string()));
  }
  for (const std::filesystem::path& input : inputs) {
    if (std::filesystem::equivalent(input, output, error)) {
      return usage_error(fmt::format("{}: is both input and output; name another store", output.string()));
    }
  }
  return {};
}

// Pages into the store, and with them what a resumed bake must know.
class BakeStorage final : public PageStorage {
 public:
  BakeStorage(TileStoreWriter& writer, const StopRows& rows) : writer_(writer), rows_(rows) {}
  Result<void> put(std::shared_ptr<const Page> page) override { return writer_.put(std::move(page)); }
  Result<std::shared_ptr<const Page>> get(PageKey key) const override { return writer_.get(key); }
  Result<void> keep_rows(std::vector<BuiltRow> rows) override {
    remember_error(rows_.quantisation_error_m(), writer_);
    return writer_.keep_rows(std::move(rows));
  }
  Result<std::vector<BuiltRow>> kept_rows() const override { return writer_.kept_rows(); }

 private:
  TileStoreWriter& writer_;
  const StopRows& rows_;
};

// Fills the store; the caller takes the part away when this fails.
Result<BakeReport> fill_store(BakePlan& plan, TileStoreWriter& writer, int jobs, const Progress& progress) {
  remember_plan(plan, writer);
  StopRows rows(plan);
  BakeStorage storage(writer, rows);
  const RowReader reader = [&rows](std::int32_t z_stop, std::span<std::uint16_t> row) {
    return rows.read(z_stop, row);
  };
  auto bounds = build_pages(plan.lattice, reader, storage, {.jobs = jobs, .progress = progress});
  if (!bounds) {
    return Unexpected{bounds.error()};
  }
  plan.info.quantisation_error_m = rows.quantisation_error_m();
  const TileStoreWriter::Encoded encoded = writer.encoded();
  auto finished = writer.finish(*bounds, plan.info);
  if (!finished) {
    return Unexpected{finished.error()};
  }
  return BakeReport{plan.info, plan.lattice, finished->pages, encoded, plan.warnings};
}

}  // namespace

Result<BakeReport> bake(const std::filesystem::path& input, const std::filesystem::path& output,
                        const BakeOptions& options, const Progress& progress) {
  return bake(std::span(&input, 1), output, options, progress);
}

Result<BakeReport> bake(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output,
                        const BakeOptions& options, const Progress& progress) {
  if (auto checked = check_output(inputs, output); !checked) {
    return Unexpected{checked.error()};
  }
  auto plan =
      plan_bake(inputs, options, TileStoreWriter::find_unfinished(output), part_of(progress, 0, kStatisticsShare));
  if (!plan) {
    return Unexpected{plan.error()};
  }
  const auto room = page_room(*plan, options);
  if (!room) {
    return Unexpected{{room.error().kind, inputs.front().string() + ": " + room.error().message}};
  }
  auto writer = TileStoreWriter::create(output, plan->lattice, plan->info, *room);
  if (!writer) {
    return Unexpected{writer.error()};
  }
  auto report = fill_store(*plan, **writer, options.jobs, part_of(progress, kStatisticsShare, 1));
  if (!report) {
    writer->reset();
    if (report.error().kind != Error::Kind::io) {
      remove_part(output);
    }
  }
  return report;
}

Result<LoadedStops> load_stops(std::span<const std::filesystem::path> inputs, const BakeOptions& options,
                               const Progress& progress) {
  auto plan = plan_bake(inputs, options, {}, part_of(progress, 0, 0.5));
  if (!plan) {
    return Unexpected{plan.error()};
  }
  const Lattice& lattice = plan->lattice;
  if (std::int64_t(lattice.stops_x) * lattice.stops_z > kMostSamplesInMemory) {
    return usage_error(fmt::format("{}: {} x {} samples are too many to hold in memory; bake a store first",
                                   inputs.front().string(), plan->info.source_width, plan->info.source_height));
  }
  const auto width = std::size_t(lattice.stops_x);
  std::vector<std::uint16_t> stops(width * std::size_t(lattice.stops_z));
  StopRows rows(*plan);
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    if (auto done = rows.read(z, std::span(stops).subspan(std::size_t(z) * width, width)); !done) {
      return Unexpected{done.error()};
    }
    if (progress) {
      progress(0.5 + 0.5 * (z + 1) / lattice.stops_z);
    }
  }
  plan->info.quantisation_error_m = rows.quantisation_error_m();
  return LoadedStops{lattice, std::move(stops), std::move(plan->info)};
}

Result<LoadedRaster> load_raster_and_info(std::span<const std::filesystem::path> inputs, const BakeOptions& options) {
  auto loaded = load_stops(inputs, options);
  if (!loaded) {
    return Unexpected{loaded.error()};
  }
  auto source = MemorySource::build(loaded->lattice, loaded->stops);
  if (!source) {
    return Unexpected{source.error()};
  }
  return LoadedRaster{*std::move(source), std::move(loaded->info)};
}

Result<std::unique_ptr<MemorySource>> load_raster(const std::filesystem::path& input, const BakeOptions& options) {
  auto loaded = load_raster_and_info(std::span(&input, 1), options);
  if (!loaded) {
    return Unexpected{loaded.error()};
  }
  return std::move(loaded->source);
}

}  // namespace arete
