#include "point_file.h"

#include <fstream>

namespace arete::cli {
namespace {
constexpr int kDeepest = 4;  // the file's object, its array, a point and a point's array
}

Result<Json> read_points(const std::string& path, const char* name, std::size_t least) {
  std::ifstream file(path);
  if (!file) {
    return io_error(fmt::format("{}: cannot be opened for reading", path));
  }
  const auto is_kept = [](int depth, Json::parse_event_t, const Json&) { return depth <= kDeepest; };
  Json document = Json::parse(file, is_kept, false);
  if (!document.is_object() || !document.contains(name) || !document[name].is_array() ||
      document[name].size() < least) {
    return data_error(fmt::format("{}: expected a JSON object with \"{}\", an array of {} or more", path, name, least));
  }
  return std::move(document[name]);
}

std::string describe_point(const Json& point) { return excerpt(point.dump()); }

}  // namespace arete::cli
