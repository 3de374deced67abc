// Options of rasters as text, checked and turned into RasterOptions.
#include "raster_arguments.h"

#include <charconv>

namespace arete::cli {

Result<RasterOptions> raster_options(const RasterArguments& arguments) {
  RasterOptions options;
  if (!arguments.registration.empty()) {
    options.registration = arguments.registration == "area" ? Registration::area : Registration::point;
  }
  if (!arguments.spacing.empty()) {
    const bool is_pair = arguments.spacing.find(',') != std::string::npos;
    const Result<std::vector<double>> spacing = parse_numbers(arguments.spacing, is_pair ? 2 : 1, "--spacing");
    if (!spacing) {
      return Unexpected{spacing.error()};
    }
    options.spacing_x_m = spacing->front();
    options.spacing_z_m = spacing->back();
    if (!(spacing->front() > 0 && spacing->back() > 0)) {
      return usage_error(fmt::format("--spacing: expected metres above 0, found '{}'", arguments.spacing));
    }
  }
  if (arguments.vertical_scale) {
    options.vertical_scale = *arguments.vertical_scale;
  }
  options.nodata = arguments.nodata;
  options.find_voids = !arguments.keep_voids;
  options.band = arguments.band;
  options.crs = arguments.crs;
  if (!arguments.encoding.empty()) {
    options.encoding = arguments.encoding == "mapbox" ? Encoding::mapbox : Encoding::terrarium;
  }
  if (!arguments.raw.empty()) {
    Result<RawLayout> layout = parse_raw_layout(arguments.raw);
    if (!layout) {
      return Unexpected{layout.error()};
    }
    options.raw = *layout;
  }
  if (!arguments.bbox.empty()) {
    const Result<std::vector<double>> box = parse_numbers(arguments.bbox, 4, "--bbox");
    if (!box) {
      return Unexpected{box.error()};
    }
    options.bbox = {(*box)[0], (*box)[1], (*box)[2], (*box)[3]};
  }
  if (!arguments.fill.empty() && arguments.fill != "none") {
    const char* end = arguments.fill.data() + arguments.fill.size();
    const auto [stop, error] = std::from_chars(arguments.fill.data(), end, options.fill_samples);
    if (error != std::errc() || stop != end || options.fill_samples < 0) {
      return usage_error(fmt::format("--fill: expected none or a number of samples, found '{}'", arguments.fill));
    }
  }
  return options;
}

Result<void> refuse_beside_store(const RasterArguments& arguments, const std::string& store) {
  if (arguments == RasterArguments{}) {
    return {};
  }
  return usage_error(
      fmt::format("{}: is a store, which options of rasters do not change; bake it again with them", store));
}

std::string crs_name(const std::string& wkt) {
  const std::size_t at = wkt.rfind("ID[\"");
  if (at == std::string::npos || at == 0 || (wkt[at - 1] != ',' && wkt[at - 1] != '\n' && wkt[at - 1] != ' ')) {
    return wkt;
  }
  // ID["EPSG",4326]] at the very end belongs to the whole.
  std::string tail = wkt.substr(at + 4);
  std::erase_if(tail, [](char c) { return c == '"' || c == ' ' || c == '\n'; });
  const std::size_t comma = tail.find(',');
  const std::size_t close = tail.find(']');
  if (comma == std::string::npos || close == std::string::npos || close < comma || tail.substr(close) != "]]") {
    return wkt;
  }
  return tail.substr(0, comma) + ":" + tail.substr(comma + 1, close - comma - 1);
}

std::string crs_words(const std::string& wkt) {
  const std::string name = crs_name(wkt);
  const std::size_t from = name.find('"');
  const std::size_t to = from == std::string::npos ? from : name.find('"', from + 1);
  return to == std::string::npos ? name : name.substr(from + 1, to - from - 1);
}

const char* registration_name(Registration registration) {
  return registration == Registration::area ? "area" : "point";
}

}  // namespace arete::cli
