// What the options of rasters mean; shared by the commands that read rasters.
#pragma once

#include <string>

#include "arete/raster.h"
#include "arguments.h"

namespace arete::cli {

// Refused (usage) in one line where a value cannot be read.
Result<RasterOptions> raster_options(const RasterArguments& arguments);
// Refuses (usage) what would change nothing: options of rasters beside a store.
Result<void> refuse_beside_store(const RasterArguments& arguments, const std::string& store);

// The short name of a CRS where its WKT ends in one ("EPSG:4326"), else the WKT itself.
std::string crs_name(const std::string& wkt);
// For people: the short name, else the name that the WKT gives itself ("WGS 84").
std::string crs_words(const std::string& wkt);
const char* registration_name(Registration registration);

}  // namespace arete::cli
