// A file's numbers become metres: nodata, scale, offset, unit, encoding and the user's word on all of them.
#pragma once

#include "height_rows.h"

namespace arete {

// Opens one input: raw, colour-packed, LERC, OpenEXR or whatever GDAL knows. Its spacing in metres is not settled yet.
// A rotated geotransform is refused unless `is_warped`.
Result<std::unique_ptr<HeightRows>> open_file_rows(const std::filesystem::path& path, const RasterOptions& options,
                                                   bool is_warped);

// Fills in spacing_x_m, spacing_z_m and spacing_is_known of `info` from its CRS, geotransform and the options.
Result<void> settle_spacing(const std::string& name, const RasterOptions& options, RasterInfo& info);

}  // namespace arete
