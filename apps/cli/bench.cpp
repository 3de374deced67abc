// arete bench: what this machine does a second on a store's data, beside what the hardware could.
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "arete/figures.h"
#include "arguments.h"

namespace arete::cli {
namespace {

// A store that is gone when the object is.
class MadeStore {
 public:
  MadeStore() {
    std::string folder = (std::filesystem::temp_directory_path() / "arete-bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) != nullptr) {
      folder_ = folder;
    }
  }
  ~MadeStore() {
    std::error_code ignored;
    if (!folder_.empty()) {
      std::filesystem::remove_all(folder_, ignored);
    }
  }
  MadeStore(const MadeStore&) = delete;
  MadeStore& operator=(const MadeStore&) = delete;

  Result<std::filesystem::path> write() const {
    if (folder_.empty()) {
      return io_error(fmt::format("{}: no folder can be made there; set TMPDIR, or name a store",
                                  std::filesystem::temp_directory_path().string()));
    }
    const std::filesystem::path path = folder_ / "fractal.arete";
    if (const Result<void> written = write_fractal_store(path, 2049); !written) {
      return Unexpected{written.error()};
    }
    return path;
  }

 private:
  std::filesystem::path folder_;
};

Json figure_json(const Figure& figure) {
  Json entry;
  entry["name"] = figure.name;
  entry["threads"] = figure.threads;
  entry["unit"] = figure.unit;
  entry["rate"] = figure.rate;
  entry["floor"] = figure.floor;
  entry["floor_rate"] = figure.floor_rate;
  entry["ratio"] = figure.ratio;
  entry["ratio_p10"] = figure.ratio_p10;
  return entry;
}

}  // namespace

int run_bench(const BenchArguments& arguments, const Globals& globals) {
  ProgressBar bar(globals, "measuring");
  const std::function<void(double)> progress = bar.callback();
  const MadeStore made;
  std::filesystem::path path = arguments.store;
  if (path.empty()) {
    Result<std::filesystem::path> written = made.write();
    if (!written) {
      return fail(written.error());
    }
    path = *std::move(written);
  }
  const Result<std::vector<Figure>> figures = measure_figures(path, progress);
  if (!figures) {
    return fail(figures.error());
  }
  if (globals.json) {
    Json document;
    document["store"] = arguments.store.empty() ? Json(nullptr) : Json(arguments.store);
    document["figures"] = Json::array();
    for (const Figure& figure : *figures) {
      document["figures"].push_back(figure_json(figure));
    }
    document["seconds"] = bar.seconds();
    print_json(document);
    return kDone;
  }
  std::string text =
      fmt::format("on {}, one thread, or all of them in figures named \"_all\"; a ratio of 1 is the floor's speed\n",
                  arguments.store.empty() ? "a fractal of 2049 x 2049 stops" : arguments.store);
  for (const Figure& figure : *figures) {
    text += fmt::format("{:<21}{:>8.3g} {:<16}{:>6.2f} of {:.3g}: {}\n", figure.name, figure.rate, figure.unit,
                        figure.ratio, figure.floor_rate, figure.floor);
  }
  print_text(globals, text);
  return kDone;
}

}  // namespace arete::cli
