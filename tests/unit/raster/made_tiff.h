// Small projected GeoTIFFs of a function of column and row.
#pragma once

#include <cmath>
#include <functional>

#include "test_files.h"

namespace arete::test {

using Heights = std::function<double(int column, int row)>;

inline TinyTiff<double> made_tiff(int width, int height, const Heights& heights, double west = 500000,
                                  double north = 4000000) {
  TinyTiff<double> tiff{std::uint32_t(width), std::uint32_t(height),     {}, "nan",
                        {10, 10, 0},          {0, 0, 0, west, north, 0}, {}, TinyTiff<double>::projected(32611)};
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      tiff.values.push_back(heights(column, row));
    }
  }
  return tiff;
}

inline bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace arete::test
