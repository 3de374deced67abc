// Baking the made-up store and reading it; see stream_field.h.
#include "stream_field.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "arete/stream.h"

namespace arete::bench {
namespace {

std::uint64_t mix(std::uint64_t h) {
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ h >> 27) * 0x94d049bb133111ebull;
  return h ^ h >> 31;
}

// One line of value noise: amplitudes halve with the wavelength, from `longest` stops down to 2.
std::vector<std::int32_t> noise_line(std::size_t count, std::size_t longest, double amplitude, std::uint64_t seed) {
  std::vector<std::int32_t> line(count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0, part = amplitude;
    for (std::size_t wave = longest; wave >= 2; wave /= 2, part /= 2) {
      const auto at = [&](std::size_t k) { return double(mix(seed * 977 + wave * 131071 + k) >> 40) * 0x1p-24; };
      const double f = double(i % wave) / double(wave);
      sum += part * (at(i / wave) * (1 - f) + at(i / wave + 1) * f);
    }
    line[i] = std::int32_t(sum);
  }
  return line;
}

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

template <class Work>
double per_second(std::int64_t count, int threads, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> next{0};
  std::vector<std::thread> workers;
  workers.reserve(std::size_t(threads));
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::int64_t at = next++; at < count; at = next++) {
        work(at);
      }
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  return double(count) / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::unique_ptr<TileStore> open_or_bake(const std::filesystem::path& path, std::int32_t stops) {
  if (!std::filesystem::exists(path)) {
    Lattice lattice;
    lattice.stops_x = lattice.stops_z = stops;
    lattice.step_m = 0.03125;
    const std::size_t count = std::size_t(stops);
    const auto along_x = noise_line(count, 4096, 9000, 1);
    const auto along_z = noise_line(count, 4096, 9000, 2);
    const auto across = noise_line(2 * count, 1024, 5000, 3);
    const auto back = noise_line(2 * count, 1024, 5000, 4);
    const auto row = [&](std::int32_t z, std::span<std::uint16_t> steps) -> Result<void> {
      for (std::size_t x = 0; x < steps.size(); ++x) {
        steps[x] = std::uint16_t(1 + along_x[x] + along_z[std::size_t(z)] + across[x + std::size_t(z)] +
                                 back[x + count - std::size_t(z)]);
      }
      return {};
    };
    StoreInfo info;
    info.source_width = info.source_height = stops;
    info.valid = std::int64_t(stops) * stops;
    info.source_fingerprint = "made up";
    const auto begin = std::chrono::steady_clock::now();
    auto writer = TileStoreWriter::create(path, lattice, info);
    if (!writer) stop(writer.error().message);
    auto bounds = build_pages(lattice, row, **writer);
    if (!bounds) stop(bounds.error().message);
    if (auto finished = (*writer)->finish(*bounds, info); !finished) stop(finished.error().message);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("baked %d x %d stops in %.1f s (%.1f M samples/s)\n", stops, stops, seconds,
                double(stops) * stops / seconds * 1e-6);
  }
  // No cache of decoded pages: the streamer's slots are the cache, and the only memory that counts.
  auto store = TileStore::open(path, 0);
  if (!store) stop(store.error().message);
  return std::move(*store);
}

void forget_cached(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file < 0) stop(path.string() + ": cannot be opened");
  ::fdatasync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

double plain_reads_per_s(const std::filesystem::path& path, std::size_t bytes, std::int64_t count, int threads) {
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file < 0) stop(path.string() + ": cannot be opened");
  const std::uint64_t room = std::filesystem::file_size(path) - bytes;
  const double rate = per_second(count, threads, [&](std::int64_t at) {
    thread_local std::vector<char> buffer;
    buffer.resize(bytes);
    if (::pread(file, buffer.data(), bytes, off_t(mix(std::uint64_t(at)) % room)) != ssize_t(bytes)) {
      stop(path.string() + ": a plain read failed");
    }
  });
  ::close(file);
  return rate;
}

double loads_per_s(const SampleSource& source, std::int64_t count, int threads) {
  const SourceLoader loader(source);
  const Lattice& lattice = source.lattice();
  return per_second(count, threads, [&](std::int64_t at) {
    thread_local Page page;
    page.subsample.resize(kPlaneSamples);
    const std::uint64_t place = mix(std::uint64_t(at) + 77);
    page.key = {0, std::uint32_t(place % std::uint64_t(lattice.pages_x(0))),
                std::uint32_t((place >> 32) % std::uint64_t(lattice.pages_z(0)))};
    if (const Result<void> loaded = loader.load(page); !loaded) stop(loaded.error().message);
  });
}

}  // namespace arete::bench
