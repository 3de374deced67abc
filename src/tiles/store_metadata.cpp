// Lattice and information as named texts: numbers are written so that they read back to the same bits, and the byte
// order of names makes one canonical form.
#include "tiles/store_metadata.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "tiles/page_record.h"
#include "tiles/validate.h"

namespace arete::tiles {
namespace {

// Reads entries one by one and remembers the first that is missing or malformed.
class Reader {
 public:
  explicit Reader(const Metadata& metadata) : metadata_(metadata) {}

  bool has(const char* name) const { return metadata_.count(name) != 0; }

  std::string text(const char* name) {
    const auto found = metadata_.find(name);
    if (found == metadata_.end()) {
      fail(name, "nothing");
      return {};
    }
    return found->second;
  }

  template <class Number, std::size_t kCount>
  std::array<Number, kCount> numbers(const char* name) {
    const std::string value = text(name);
    std::array<Number, kCount> result{};
    const char* at = value.data();
    const char* end = at + value.size();
    for (std::size_t i = 0; i < kCount; ++i) {
      if (i > 0 && (at == end || *at++ != ' ')) {
        fail(name, value);
        return {};
      }
      const auto [next, code] = std::from_chars(at, end, result[i]);
      if (code != std::errc()) {
        fail(name, value);
        return {};
      }
      at = next;
    }
    if (at != end) {
      fail(name, value);
    }
    return result;
  }

  template <class Number>
  Number number(const char* name) {
    return numbers<Number, 1>(name)[0];
  }

  // A text that must be one of two; true for the second.
  bool choice(const char* name, const char* no, const char* yes) {
    const std::string value = text(name);
    if (value != no && value != yes) {
      fail(name, value);
    }
    return value == yes;
  }

  void fail(const char* name, const std::string& found) {
    if (error_.empty()) {
      error_ = fmt::format("metadata '{}' is damaged: found '{}'", name, found.substr(0, 60));
    }
  }
  const std::string& error() const { return error_; }

 private:
  const Metadata& metadata_;
  std::string error_;
};

template <class Numbers>
std::string join(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  }
  return text;
}

bool is_content(const std::string& name) {
  return name != kState && name != kContentHash && name != kBoundsHash && name != kMetadataHash && name != kPages &&
         name != "source_fingerprint" && name != "warnings";
}

}  // namespace

Metadata to_metadata(const StoreHead& head) {
  const Lattice& lattice = head.lattice;
  const StoreInfo& info = head.info;
  Metadata out;
  out["stops_x"] = fmt::format("{}", lattice.stops_x);
  out["stops_z"] = fmt::format("{}", lattice.stops_z);
  out["registration"] = std::string(lattice.is_area() != 0 ? "area" : "point");
  out["spacing_x_m"] = fmt::format("{}", lattice.spacing_x_m);
  out["spacing_z_m"] = fmt::format("{}", lattice.spacing_z_m);
  out["spacing_is_known"] = std::string(info.spacing_is_known ? "1" : "0");
  out["base_m"] = fmt::format("{}", lattice.base_m);
  out["step_m"] = fmt::format("{}", lattice.step_m);
  out["field_min"] = fmt::format("{}", head.field_min);
  out["field_max"] = fmt::format("{}", head.field_max);
  out["crs_wkt"] = info.crs_wkt;
  if (info.geotransform) {
    out["geotransform"] = join(*info.geotransform);
  }
  out["vertical_unit"] = info.vertical_unit;
  out["source_width"] = fmt::format("{}", info.source_width);
  out["source_height"] = fmt::format("{}", info.source_height);
  out["valid"] = fmt::format("{}", info.valid);
  out["missing"] = fmt::format("{}", info.missing);
  out["min_m"] = fmt::format("{}", info.min_m);
  out["max_m"] = fmt::format("{}", info.max_m);
  out["sum_m"] = fmt::format("{}", info.sum_m);
  out["first_min"] = join(info.first_min);
  out["first_max"] = join(info.first_max);
  auto corners = info.corners_m;
  for (double& corner : corners) {
    // One spelling: a NaN's sign is no content.
    corner = std::isnan(corner) ? std::numeric_limits<double>::quiet_NaN() : corner;
  }
  out["corners_m"] = join(corners);
  out["quantisation_error_m"] = fmt::format("{}", info.quantisation_error_m);
  out["source_fingerprint"] = info.source_fingerprint;
  out["warnings"] = info.warnings;
  return out;
}

Result<StoreHead> from_metadata(const Metadata& metadata) {
  Reader in(metadata);
  StoreHead head;
  Lattice& lattice = head.lattice;
  StoreInfo& info = head.info;
  lattice.stops_x = in.number<std::int32_t>("stops_x");
  lattice.stops_z = in.number<std::int32_t>("stops_z");
  lattice.registration = in.choice("registration", "point", "area") ? Registration::area : Registration::point;
  lattice.spacing_x_m = in.number<double>("spacing_x_m");
  lattice.spacing_z_m = in.number<double>("spacing_z_m");
  info.spacing_is_known = in.choice("spacing_is_known", "0", "1");
  lattice.base_m = in.number<double>("base_m");
  lattice.step_m = in.number<double>("step_m");
  head.field_min = in.number<std::uint16_t>("field_min");
  head.field_max = in.number<std::uint16_t>("field_max");
  info.crs_wkt = in.text("crs_wkt");
  if (in.has("geotransform")) {
    info.geotransform = in.numbers<double, 6>("geotransform");
  }
  info.vertical_unit = in.text("vertical_unit");
  info.source_width = in.number<std::int64_t>("source_width");
  info.source_height = in.number<std::int64_t>("source_height");
  info.valid = in.number<std::int64_t>("valid");
  info.missing = in.number<std::int64_t>("missing");
  info.min_m = in.number<double>("min_m");
  info.max_m = in.number<double>("max_m");
  info.sum_m = in.number<double>("sum_m");
  info.first_min = in.numbers<std::int64_t, 2>("first_min");
  info.first_max = in.numbers<std::int64_t, 2>("first_max");
  info.corners_m = in.numbers<double, 4>("corners_m");
  info.quantisation_error_m = in.number<double>("quantisation_error_m");
  info.source_fingerprint = in.text("source_fingerprint");
  info.warnings = in.text("warnings");
  if (!in.error().empty()) {
    return data_error(in.error());
  }
  if (auto valid = validate(lattice); !valid) {
    return Unexpected{valid.error()};
  }
  return head;
}

std::string canonical_text(const Metadata& metadata, bool content_alone) {
  std::string text;
  for (const auto& [name, value] : metadata) {
    if (content_alone ? is_content(name) : name != kMetadataHash) {
      text.append(name).push_back('\0');
      text.append(value).push_back('\0');
    }
  }
  return text;
}

Result<Metadata> read_metadata(const Database& database) {
  auto select = database.prepare("SELECT name, value FROM metadata");
  if (!select) {
    return Unexpected{select.error()};
  }
  Metadata metadata;
  while (true) {
    auto row = select->step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      return metadata;
    }
    metadata[select->text(0)] = select->text(1);
  }
}

Result<void> write_metadata(Database& database, const Metadata& metadata) {
  if (auto emptied = database.execute("DELETE FROM metadata"); !emptied) {
    return emptied;
  }
  auto insert = database.prepare("INSERT INTO metadata(name, value) VALUES(?1, ?2)");
  if (!insert) {
    return Unexpected{insert.error()};
  }
  for (const auto& [name, value] : metadata) {
    if (auto done = insert->bind(1, std::string_view(name)).bind(2, std::string_view(value)).run(); !done) {
      return done;
    }
  }
  return {};
}

Result<std::vector<PageDigest>> read_digests(const Database& database) {
  auto select = database.prepare("SELECT key, digest FROM pages ORDER BY key");
  if (!select) {
    return Unexpected{select.error()};
  }
  std::vector<PageDigest> digests;
  while (true) {
    auto row = select->step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      return digests;
    }
    digests.push_back({std::uint64_t(select->integer(0)), std::uint64_t(select->integer(1))});
  }
}

std::string hash_content(const Metadata& metadata, std::span<const PageDigest> digests) {
  RunningHash hash;
  hash.add(canonical_text(metadata, true));
  for (const PageDigest& page : digests) {
    hash.add(page.key);
    hash.add(page.digest);
  }
  return hash.hex();
}

Result<void> verify_pages(const Database& database, std::span<const PageKey> keys, const Progress& progress) {
  auto select = database.prepare("SELECT revision, checksum, digest, blob FROM pages WHERE key = ?1");
  if (!select) {
    return Unexpected{select.error()};
  }
  PageRecord record;
  std::vector<std::uint8_t> payload;
  for (std::size_t done = 0; done < keys.size(); ++done) {
    record.key = keys[done];
    auto row = select->bind(1, std::int64_t(record.key.packed())).step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      return data_error(describe(record.key) +
                        " is damaged: it stands in the file, but not where its key is looked for");
    }
    record.revision = std::uint64_t(select->integer(0));
    record.checksum = std::uint64_t(select->integer(1));
    record.digest = std::uint64_t(select->integer(2));
    const auto blob = select->blob(3);
    record.blob.assign(blob.begin(), blob.end());
    select->reset();
    if (auto decoded = decode_payload(record, payload); !decoded) {
      return decoded;
    }
    if (const std::uint64_t found = payload_digest(payload); found != record.digest) {
      return data_error(fmt::format("{} is damaged: digest {:016x} expected, {:016x} found", describe(record.key),
                                    record.digest, found));
    }
    if (progress && done % 64 == 0) {
      progress(double(done) / double(keys.size()));
    }
  }
  return {};
}

}  // namespace arete::tiles
