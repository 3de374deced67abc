// All groups on one store.
#include "figures.h"

namespace arete {

Result<std::vector<Figure>> measure_figures(const std::filesystem::path& path, const Progress& progress) {
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(path, std::size_t(256) << 20);
  if (!store) {
    return Unexpected{store.error()};
  }
  const Result<StoreStatistics> statistics = (*store)->statistics();
  if (!statistics) {
    return Unexpected{statistics.error()};
  }
  if (statistics->pages == 0) {
    return data_error(path.string() + ": holds no page, since every sample is missing: there is nothing to measure");
  }
  std::vector<Figure> figures;
  const auto report = [&](double part) {
    if (progress) {
      progress(part);
    }
  };
  report(0);
  figures::add_reduction(figures);
  report(0.1);
  if (const Result<void> added = figures::add_pages(**store, figures); !added) {
    return Unexpected{added.error()};
  }
  report(0.4);
  if (const Result<void> added = figures::add_reads(path, figures); !added) {
    return Unexpected{added.error()};
  }
  report(0.5);
  if (const Result<void> added = figures::add_nodes(**store, figures); !added) {
    return Unexpected{added.error()};
  }
  report(0.8);
  if (const Result<void> added = figures::add_queries(**store, figures); !added) {
    return Unexpected{added.error()};
  }
  report(1);
  return figures;
}

}  // namespace arete
