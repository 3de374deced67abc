// Registers GDAL and catches its messages; see gdal_session.h.
#include "gdal_session.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>

#include <mutex>

namespace arete {
namespace {
// What opens names of a network, which a file may hold.
constexpr const char* kNetworkDrivers[] = {"DAAS",          "EEDAI",  "HTTP",   "NGW", "OGCAPI", "PLMOSAIC",
                                           "PostGISRaster", "STACIT", "STACTA", "WCS", "WMS",    "WMTS"};

void CPL_STDCALL catch_message(CPLErr severity, CPLErrorNum, const char* message) {
  if (severity >= CE_Failure && message != nullptr) {
    static_cast<GdalTrap*>(CPLGetErrorHandlerUserData())->keep(message);
  }
}
}  // namespace

void start_gdal() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr const char* kAllowed = "CPL_VSIL_CURL_ALLOWED_EXTENSIONS";
    const bool is_local = CPLGetConfigOption(kAllowed, nullptr) == nullptr, is_first = GDALGetDriverCount() == 0;
    GDALAllRegister();
    if (is_local) {
      CPLSetConfigOption(kAllowed, ".none");
    }
    for (const char* name : kNetworkDrivers) {
      if (GDALDriverH driver = GDALGetDriverByName(name); driver != nullptr && is_local && is_first) {
        GDALDeregisterDriver(driver);
        GDALDestroyDriver(driver);
      }
    }
    GDALSetCacheMax64(GIntBig(64) << 20);
  });
}

GdalTrap::GdalTrap() { CPLPushErrorHandlerEx(catch_message, this); }
GdalTrap::~GdalTrap() { CPLPopErrorHandler(); }

std::string GdalTrap::reason(const std::string& path, const std::string& otherwise) const {
  if (failure_.empty()) {
    return otherwise;
  }
  std::string line;
  for (const char c : failure_) {
    const bool is_break = c == '\n' || c == '\r' || c == '\t';
    if (!is_break) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  for (const std::string& prefix : {path + ": ", path + ", ", path + ":"}) {
    for (std::size_t at = line.find(prefix); at != std::string::npos; at = line.find(prefix)) {
      line.erase(at, prefix.size());
    }
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) {
    line.pop_back();
  }
  return line.empty() ? otherwise : line;
}

}  // namespace arete
