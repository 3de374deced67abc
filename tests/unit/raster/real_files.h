// The real files of tests/data/facts.json and what must be said to read them.
#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "test_files.h"

namespace arete::test {

using Json = nlohmann::json;

inline const Json& facts() {
  static const Json all = Json::parse(std::ifstream(data_folder() / "facts.json"));
  return all;
}

// Their names, as find_test_file() takes them.
inline std::vector<std::string> real_files() {
  std::vector<std::string> list;
  for (const auto& [name, fact] : facts().items()) {
    if (!name.ends_with(".npz")) {  // NumPy archives are no input of this product
      list.push_back(name);
    }
  }
  return list;
}

// What a user must say of files that do not say it themselves.
inline RasterOptions options_for(const std::string& name) {
  RasterOptions options;
  if (name.ends_with("terrainrgb_srtm_257.png")) {
    options.encoding = Encoding::mapbox;
  }
  const std::map<std::string, const char*> layouts{{"raw-r16-pugetsound/puget_1025_le.r16", "1025x1025:u16le"},
                                                   {"raw-r16-pugetsound/puget_513x257_be.raw", "513x257:u16be"},
                                                   {"sba-airport-flat/elev32_sba_512x512.bil", "512x512:f32le"}};
  if (const auto layout = layouts.find(name); layout != layouts.end()) {
    options.raw = *parse_raw_layout(layout->second);
  }
  return options;
}

}  // namespace arete::test
