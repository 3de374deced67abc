// One door to GDAL: drivers are registered once, and every message that GDAL would print is kept for our own one line.
#pragma once

#include <string>

namespace arete {

// Registers GDAL's drivers; later calls do nothing. Thread-safe. Files never reach out over the network: remote names
// inside a file are not followed unless the environment sets CPL_VSIL_CURL_ALLOWED_EXTENSIONS. A program that has
// registered drivers before keeps them all.
void start_gdal();

// While it lives, GDAL's messages on this thread are caught; the last failure is kept. Nests.
class GdalTrap {
 public:
  GdalTrap();
  ~GdalTrap();
  GdalTrap(const GdalTrap&) = delete;
  GdalTrap& operator=(const GdalTrap&) = delete;
  bool failed() const { return !failure_.empty(); }
  // The last failure on one line with `path` cut from it, or `otherwise` when there was none.
  std::string reason(const std::string& path, const std::string& otherwise) const;
  void keep(const char* message) { failure_ = message; }

 private:
  std::string failure_;
};

}  // namespace arete
