// What a dataset that GDAL has opened declares of one of its bands, as a band's facts and the order of its rows.
#pragma once

#include <gdal.h>

#include "band.h"
#include "gdal_band.h"

namespace arete {

struct GdalFacts {
  BandFacts facts;                                  // of the north-up raster
  bool has_mask = false;                            // beside the samples
  bool is_signed_byte = false;                      // whose type GDAL calls Byte
  bool is_south_up = false, is_east_first = false;  // how the file runs
};

// Refused (data): samples that are no heights, a scale or a geotransform of no use, a rotation that is not asked for.
Result<GdalFacts> describe_dataset(const InputFile& file, GDALDatasetH dataset, GDALRasterBandH band,
                                   const GdalBandRequest& request);

}  // namespace arete
