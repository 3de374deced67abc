// Node vertices on the CPU beside the floor of this machine: streaming stores of as many bytes into the same pool, by
// as many threads, each its own share: one thread and all of them. The field is a fractal of 2,049 x 2,049 stops, the
// cut what a camera above it draws, morphing bands and stitched edges included, and as many nodes at rest.
#include <benchmark/benchmark.h>

#include <cstring>
#include <thread>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "arete/mesh.h"
#include "support/field.h"

namespace {
using namespace arete;

// Nodes as one camera draws them.
struct Drawn {
  Ranges ranges;
  std::vector<Node> nodes;
  kernel::FrameConstants frame;
};

struct Scene {
  std::unique_ptr<MemorySource> source;
  Drawn mixed;    // a whole cut
  Drawn resting;  // nodes of lod 0 with the same camera, all before their bands
  std::vector<std::uint32_t> pool;
};

Scene& scene() {
  static Scene made = [] {
    Scene s;
    const Lattice lattice{.stops_x = 2049, .stops_z = 2049, .step_m = 1.0 / 64};
    s.source = test::make_field(test::Terrain::fractal, 1, lattice);
    View view;
    view.eye_x_m = 1000;
    view.eye_z_m = 1100;
    view.eye_y_m = 600;
    const auto draw = [&](double range_m) {
      Drawn drawn;
      drawn.ranges = make_ranges(range_m, {});
      CutWorkspace workspace;
      Cut cut;
      select_cut(s.source->bounds(), view, drawn.ranges, workspace, cut);
      drawn.nodes = std::move(cut.nodes);
      drawn.frame = make_frame(s.source->bounds(), view, drawn.ranges, {});
      return drawn;
    };
    s.mixed = draw(280);
    s.resting = draw(1e5);
    s.resting.nodes.resize(s.mixed.nodes.size());
    s.pool.assign(s.mixed.nodes.size() * std::size_t(node_slot_vertices(32) * 23) + 32, 1);
    return s;
  }();
  return made;
}

// The nodes of one of the benchmark's threads.
std::pair<std::size_t, std::size_t> share(const benchmark::State& state, std::size_t nodes) {
  const std::size_t threads = std::size_t(state.threads()), index = std::size_t(state.thread_index());
  return {nodes * index / threads, nodes * (index + 1) / threads};
}

void vertices(benchmark::State& state, const kernel::VertexLayout& layout, Drawn Scene::*which) {
  Scene& s = scene();
  const Drawn& drawn = s.*which;
  NodeMesher mesher(*s.source, s.source->bounds());
  const auto [first, last] = share(state, drawn.nodes.size());
  const std::size_t slot = std::size_t(node_slot_vertices(32) * layout.stride_words);
  const std::size_t size = std::size_t(node_vertices(32) * layout.stride_words);
  for (auto _ : state) {
    for (std::size_t i = first; i < last; ++i) {
      const auto built =
          mesher.build(drawn.frame, drawn.ranges, drawn.nodes[i], layout, std::span(s.pool).subspan(i * slot, size));
      if (!built) {
        state.SkipWithError("a page is missing");
      }
    }
  }
  const double count = double(last - first) * double(node_vertices(32));
  state.counters["vertices"] = benchmark::Counter(double(state.iterations()) * count, benchmark::Counter::kIsRate);
  state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(count) * layout.stride_words * 4);
  if (state.thread_index() == 0) {
    state.counters["nodes"] = double(drawn.nodes.size());
  }
}
void engine_vertices(benchmark::State& state) { vertices(state, engine_layout(), &Scene::mixed); }
void engine_resting(benchmark::State& state) { vertices(state, engine_layout(), &Scene::resting); }
void compact_vertices(benchmark::State& state) { vertices(state, compact_layout(), &Scene::mixed); }
void compact_resting(benchmark::State& state) { vertices(state, compact_layout(), &Scene::resting); }

// As many bytes as the nodes of a layout of `stride` words take.
void streaming_stores(benchmark::State& state, int stride) {
  Scene& s = scene();
  const auto [first, last] = share(state, s.mixed.nodes.size() * std::size_t(node_slot_vertices(32) * stride) / 16);
  char* const pool = reinterpret_cast<char*>(s.pool.data());
  char* const begin = pool + (64 - reinterpret_cast<std::uintptr_t>(pool) % 64) % 64;
  for (auto _ : state) {
    for (char* at = begin + first * 64; at + 64 <= begin + last * 64; at += 64) {
#if defined(__SSE2__)
      const __m128i value = _mm_set1_epi32(7);
      for (int part = 0; part < 4; ++part) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(at) + part, value);
      }
#else
      std::memset(at, 7, 64);
#endif
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(last - first) * 64);
}

void engine_floor(benchmark::State& state) { streaming_stores(state, engine_layout().stride_words); }
void compact_floor(benchmark::State& state) { streaming_stores(state, compact_layout().stride_words); }

void by_threads(benchmark::internal::Benchmark* bench) {
  bench->UseRealTime()->Unit(benchmark::kMillisecond)->Threads(1);
  if (const int all = int(std::thread::hardware_concurrency()); all > 1) {
    bench->Threads(all);
  }
}
BENCHMARK(engine_floor)->Apply(by_threads);
BENCHMARK(engine_resting)->Apply(by_threads);
BENCHMARK(engine_vertices)->Apply(by_threads);
BENCHMARK(compact_floor)->Apply(by_threads);
BENCHMARK(compact_resting)->Apply(by_threads);
BENCHMARK(compact_vertices)->Apply(by_threads);

}  // namespace

BENCHMARK_MAIN();
