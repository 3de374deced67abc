// Rows of CSV in blocks: read, answered together, printed.
#include "query_batch.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>

#include "command.h"

namespace arete::cli {
namespace {
constexpr std::size_t kBlockRows = 65536;

// Reads named columns of numbers.
class CsvReader {
 public:
  CsvReader(std::string path, std::vector<std::string> columns, std::size_t optional_columns)
      : path_(std::move(path)),
        columns_(std::move(columns)),
        needed_(columns_.size() - optional_columns),
        file_(path_) {}

  Result<void> read_header() {
    if (!file_) {
      return io_error(fmt::format("{}: cannot be opened for reading", path_));
    }
    std::string line;
    const Result<bool> is_read = next_line(line);
    if (!is_read) {
      return Unexpected{is_read.error()};
    }
    if (!*is_read) {
      return data_error(fmt::format("{}: expected a line of column names, found no line", path_));
    }
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    line.erase(0, line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    const std::vector<std::string_view> names = split(line);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto at = std::find(names.begin(), names.end(), columns_[c]);
      places_.push_back(at == names.end() ? -1 : at - names.begin());
      if (at != names.end() && std::find(at + 1, names.end(), columns_[c]) != names.end()) {
        return data_error(fmt::format("{}: line 1: expected one column '{}', found several", path_, columns_[c]));
      }
      if (places_.back() < 0 && c < needed_) {
        return data_error(
            fmt::format("{}: line 1: expected a column '{}', found '{}'", path_, columns_[c], excerpt(line)));
      }
    }
    return {};
  }

  bool has_column(std::size_t column) const { return places_[column] >= 0; }
  std::int64_t line_number() const { return line_number_; }

  // One row of numbers in the order of the columns; false at the end of the file.
  Result<bool> read_row(std::vector<double>& row) {
    std::string line;
    do {
      Result<bool> is_read = next_line(line);
      if (!is_read || !*is_read) {
        return is_read;
      }
    } while (line.empty());
    const std::vector<std::string_view> fields = split(line);
    row.assign(columns_.size(), 0.0);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (places_[c] < 0) {
        continue;
      }
      const auto place = std::size_t(places_[c]);
      const std::string_view field = place < fields.size() ? fields[place] : std::string_view{};
      const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), row[c]);
      if (error != std::errc() || stop != field.data() + field.size()) {
        return data_error(fmt::format("{}: line {}: expected a number in column '{}', found '{}'", path_, line_number_,
                                      columns_[c], excerpt(field)));
      }
    }
    return true;
  }

 private:
  // False at the end of the file.
  Result<bool> next_line(std::string& line) {
    file_.getline(room_.get(), kMostLine + 1);
    if (file_.gcount() == 0 && file_.fail()) {
      return false;
    }
    ++line_number_;
    if (file_.fail()) {
      return data_error(
          fmt::format("{}: line {}: expected at most {} characters, found more", path_, line_number_, kMostLine));
    }
    line.assign(room_.get(), static_cast<std::size_t>(file_.gcount()) - (file_.eof() ? 0 : 1));
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    return true;
  }

  // Fields without the blanks and the quotes around them; a comma between quotes parts nothing.
  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    bool is_quoted = false;
    for (std::size_t from = 0, at = 0; at <= line.size(); ++at) {
      if (at < line.size() && (line[at] != ',' || is_quoted)) {
        is_quoted = is_quoted != (line[at] == '"');
        continue;
      }
      fields.push_back(strip(line.substr(from, at - from)));
      from = at + 1;
    }
    return fields;
  }

  static std::string_view strip(std::string_view field) {
    const auto trim = [&field](char c) {
      while (!field.empty() && field.front() == c) {
        field.remove_prefix(1);
      }
      while (!field.empty() && field.back() == c) {
        field.remove_suffix(1);
      }
    };
    trim(' ');
    trim('"');
    return field;
  }

  static constexpr std::size_t kMostLine = std::size_t(16) << 20;

  std::string path_;
  std::vector<std::string> columns_;
  std::size_t needed_;
  std::ifstream file_;
  std::unique_ptr<char[]> room_ = std::make_unique_for_overwrite<char[]>(kMostLine + 1);  // touched as lines need it
  std::vector<std::ptrdiff_t> places_;
  std::int64_t line_number_ = 0;
};

// Numbers of one row, and where it stands.
struct Row {
  std::vector<double> numbers;
  std::int64_t line = 0;
};

Unexpected row_error(const std::string& path, const Row& row, const Error& error) {
  return data_error(fmt::format("{}: line {}: {}", path, row.line, error.message));
}

Result<void> print_rows(const std::string& rows) {
  print(stdout, rows);
  if (std::ferror(stdout) != 0) {
    return io_error(fmt::format("stdout: cannot be written: {}", std::strerror(errno)));
  }
  return {};
}

Result<void> answer_places(PageCollider& collider, const Places& places, const std::string& path,
                           const std::vector<Row>& rows, bool with_normal) {
  std::vector<double> x, z;
  for (const Row& row : rows) {
    const Result<std::array<double, 2>> place = places.place_m(row.numbers[0], row.numbers[1]);
    if (!place) {
      return row_error(path, row, place.error());
    }
    x.push_back((*place)[0]);
    z.push_back((*place)[1]);
  }
  std::vector<SurfaceSample> samples(rows.size());
  if (Result<void> answered = collider.samples_at(x, z, samples); !answered) {
    return answered;
  }
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SurfaceSample& sample = samples[i];
    const bool is_surface = sample.ground == Ground::surface;
    out += fmt::format("{},{},{},{}", number(x[i]), number(z[i]), ground_name(sample.ground),
                       is_surface ? number(sample.y_m) : "");
    if (with_normal) {
      out += is_surface ? fmt::format(",{},{},{}", number(sample.normal[0]), number(sample.normal[1]),
                                      number(sample.normal[2]))
                        : ",,,";
    }
    out += '\n';
  }
  return print_rows(out);
}

Result<void> answer_rays(PageCollider& collider, const Places& places, const std::string& path,
                         const std::vector<Row>& rows, bool has_max) {
  std::vector<Ray> rays;
  for (const Row& row : rows) {
    const std::vector<double>& n = row.numbers;
    const Result<std::array<double, 2>> place = places.place_m(n[0], n[1]);
    if (!place) {
      return row_error(path, row, place.error());
    }
    Ray ray{.origin_m = {(*place)[0], n[2], (*place)[1]}, .direction = {n[3], n[4], n[5]}};
    if (has_max) {
      ray.max_t = n[6];
    }
    if (const Result<void> checked = check_ray(ray); !checked) {
      return row_error(path, row, checked.error());
    }
    rays.push_back(ray);
  }
  std::vector<RayHit> hits(rows.size());
  if (Result<void> answered = collider.raycast(rays, hits); !answered) {
    return answered;
  }
  std::string out;
  for (const RayHit& hit : hits) {
    out += hit.status == RayStatus::surface
               ? fmt::format("{},{},{},{},{}\n", ray_status_name(hit.status), number(hit.t), number(hit.position_m[0]),
                             number(hit.position_m[1]), number(hit.position_m[2]))
               : fmt::format("{},,,,\n", ray_status_name(hit.status));
  }
  return print_rows(out);
}
}  // namespace

Result<void> answer_batch(PageCollider& collider, const Places& places, const std::string& what,
                          const std::string& path) {
  const bool is_ray = what == "ray";
  const bool with_normal = what == "normal";
  std::vector<std::string> columns = {is_ray ? "ox" : "x", is_ray ? "oz" : "z"};
  if (places.is_geographic()) {
    columns = {"lon", "lat"};
  }
  if (is_ray) {
    columns.insert(columns.end(), {"oy", "dx", "dy", "dz", "max"});
  }
  CsvReader reader(path, std::move(columns), is_ray ? 1 : 0);
  if (Result<void> header = reader.read_header(); !header) {
    return header;
  }
  print(stdout, is_ray ? "status,t,x,y,z\n" : with_normal ? "x,z,status,y,nx,ny,nz\n" : "x,z,status,y\n");
  std::vector<Row> rows;
  for (bool is_open = true; is_open;) {
    rows.clear();
    while (rows.size() < kBlockRows) {
      Row row;
      const Result<bool> read = reader.read_row(row.numbers);
      if (!read) {
        return Unexpected{read.error()};
      }
      if (!(is_open = *read)) {
        break;
      }
      row.line = reader.line_number();
      rows.push_back(std::move(row));
    }
    if (Result<void> answered = is_ray ? answer_rays(collider, places, path, rows, reader.has_column(6))
                                       : answer_places(collider, places, path, rows, with_normal);
        !answered) {
      return answered;
    }
  }
  return {};
}

}  // namespace arete::cli
