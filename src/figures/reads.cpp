// Pages out of the store's file in random order, checked and decoded, beside pread of as many bytes.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "figures.h"
#include "turns.h"

namespace arete::figures {

Result<void> add_reads(const std::filesystem::path& path, std::vector<Figure>& figures) {
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(path, 0);
  if (!store) {
    return Unexpected{store.error()};
  }
  const Result<std::vector<PageKey>> keys = (*store)->keys();
  const Result<StoreStatistics> statistics = (*store)->statistics();
  if (!keys || !statistics) {
    return Unexpected{keys ? statistics.error() : keys.error()};
  }
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return io_error(path.string() + ": cannot be opened for reading: " + std::strerror(errno));
  }
  std::mt19937_64 random(1);
  constexpr std::size_t kReads = 256;
  std::vector<PageKey> order;
  for (std::size_t i = 0; i < kReads; ++i) {
    order.push_back((*keys)[random() % keys->size()]);
  }
  // What a page takes of the file on average.
  const std::int64_t bytes = statistics->bytes / std::max<std::int64_t>(statistics->pages, 1);
  std::vector<off_t> places;
  for (std::size_t i = 0; i < kReads; ++i) {
    places.push_back(off_t(random() % std::uint64_t(statistics->bytes - bytes + 1)));
  }
  std::vector<char> room(static_cast<std::size_t>(bytes));
  Result<void> result;
  ssize_t read = 0;
  figures.push_back(by_turns(
      "reads", double(kReads) * 1e-3, "k pages/s",
      [&] {
        for (const PageKey key : order) {
          const Result<std::shared_ptr<const Page>> page = (*store)->page(key);
          if (!page) {
            result = Unexpected{page.error()};
          }
        }
      },
      "pread of as many bytes of the same file, neither checked nor decoded",
      [&] {
        for (const off_t place : places) {
          read += ::pread(file, room.data(), room.size(), place);
        }
        keep(read);
      }));
  ::close(file);
  return result;
}

}  // namespace arete::figures
