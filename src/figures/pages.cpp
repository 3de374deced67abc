// Pages between store and planes: the codec beside zstd alone, and the bounds of their nodes beside a copy of the
// samples.
#include <zstd.h>

#include <algorithm>

#include "figures.h"
#include "tiles/node_bounds.h"
#include "tiles/page_payload.h"
#include "tiles/page_record.h"
#include "turns.h"

namespace arete::figures {
namespace {

constexpr std::size_t kMostPages = 64;

// Evenly spread over the stored keys.
Result<std::vector<std::shared_ptr<const Page>>> some_pages(const TileStore& store) {
  const Result<std::vector<PageKey>> keys = store.keys();
  if (!keys) {
    return Unexpected{keys.error()};
  }
  std::vector<std::shared_ptr<const Page>> pages;
  const std::size_t count = std::min(kMostPages, keys->size());
  for (std::size_t i = 0; i < count; ++i) {
    Result<std::shared_ptr<const Page>> page = store.page((*keys)[i * keys->size() / count]);
    if (!page) {
      return Unexpected{page.error()};
    }
    pages.push_back(*std::move(page));
  }
  return pages;
}

// Pages that reach over the field's rim have fewer samples to look at.
bool is_whole_and_finest(const Lattice& lattice, PageKey key) {
  return key.lod == 0 && (std::int64_t(key.x) + 1) * kPageCells <= lattice.last_stop_x() &&
         (std::int64_t(key.z) + 1) * kPageCells <= lattice.last_stop_z();
}

}  // namespace

Result<void> add_pages(const TileStore& store, std::vector<Figure>& figures) {
  const Result<std::vector<std::shared_ptr<const Page>>> pages = some_pages(store);
  if (!pages) {
    return Unexpected{pages.error()};
  }
  std::vector<tiles::PageRecord> records;
  std::vector<std::vector<std::uint8_t>> payloads(pages->size());
  double bytes = 0, finest_bytes = 0;
  for (std::size_t i = 0; i < pages->size(); ++i) {
    const Page& page = *(*pages)[i];
    Result<tiles::PageRecord> record = tiles::encode_page(page);
    if (!record) {
      return Unexpected{record.error()};
    }
    records.push_back(*std::move(record));
    tiles::make_payload(page, payloads[i]);
    bytes += double(payloads[i].size());
    finest_bytes += is_whole_and_finest(store.lattice(), page.key) ? double(payloads[i].size()) : 0;
  }
  std::vector<std::uint8_t> room(ZSTD_compressBound(tiles::payload_bytes(1)));
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> decoder(ZSTD_createDCtx(), ZSTD_freeDCtx);
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> encoder(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (decoder == nullptr || encoder == nullptr) {
    return io_error("out of memory");
  }
  std::size_t sizes = 0;
  figures.push_back(by_turns(
      "decode", bytes * 1e-6, "MB/s of samples",
      [&] {
        for (const tiles::PageRecord& record : records) {
          keep(tiles::decode_page(record));
        }
      },
      "zstd's decompression alone",
      [&] {
        for (const tiles::PageRecord& record : records) {
          sizes += ZSTD_decompressDCtx(decoder.get(), room.data(), room.size(), record.blob.data(), record.blob.size());
        }
        keep(sizes);
      }));
  figures.push_back(by_turns(
      "encode", bytes * 1e-6, "MB/s of samples",
      [&] {
        for (const std::shared_ptr<const Page>& page : *pages) {
          keep(tiles::encode_page(*page));
        }
      },
      "zstd's compression of the residuals alone",
      [&] {
        for (const std::vector<std::uint8_t>& payload : payloads) {
          sizes += ZSTD_compressCCtx(encoder.get(), room.data(), room.size(), payload.data(), payload.size(), 1);
        }
        keep(sizes);
      }));
  if (finest_bytes == 0) {
    return {};
  }
  Bounds bounds(store.lattice());
  tiles::HeightCollector collector(bounds);
  std::vector<std::uint16_t> copy(kPlaneSamples);
  figures.push_back(by_turns(
      "bounds", finest_bytes * 1e-9, "GB/s of samples",
      [&] {
        for (const std::shared_ptr<const Page>& page : *pages) {
          if (is_whole_and_finest(store.lattice(), page->key)) {
            collector.add(*page);
          }
        }
      },
      "copies of as many samples to one page",
      [&] {
        for (const std::shared_ptr<const Page>& page : *pages) {
          if (is_whole_and_finest(store.lattice(), page->key)) {
            std::copy(page->subsample.begin(), page->subsample.end(), copy.begin());
            keep(copy);
          }
        }
      }));
  return {};
}

}  // namespace arete::figures
