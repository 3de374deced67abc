// Making a streamer: the budget is dealt out once, then the coarsest page is read so that the field can always be
// drawn.
#include <algorithm>
#include <chrono>
#include <thread>

#include "arete/stream.h"
#include "stream/streamer_state.h"

namespace arete {
namespace {

constexpr int kCoarsestAttempts = 8;

std::size_t bounds_bytes(const Lattice& lattice) {
  std::size_t nodes = 0;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    nodes += std::size_t(lattice.nodes_x(lod, kBoundsQuads)) * std::size_t(lattice.nodes_z(lod, kBoundsQuads));
  }
  return nodes * sizeof(NodeBounds);
}

Result<void> check(const StreamOptions& options) {
  const auto refuse = [](const char* name, const char* range) {
    return usage_error(std::string("stream options: ") + name + " must be " + range);
  };
  if (options.max_loads < 8 || options.max_loads > 4096) return refuse("max_loads", "8..4096");
  if (options.jobs == nullptr && (options.threads < 1 || options.threads > 64)) return refuse("threads", "1..64");
  if (options.pinned_pages < 1) return refuse("pinned_pages", "at least 1");
  if (options.frames_in_flight < 0 || options.frames_in_flight > 8) return refuse("frames_in_flight", "0..8");
  if (!(options.lookahead_s >= 0)) return refuse("lookahead_s", "at least 0");
  if (!(options.teleport_m_s > 0)) return refuse("teleport_m_s", "above 0");
  if (!(options.retry_s > 0 && options.retry_limit_s >= options.retry_s)) {
    return refuse("retry_s and retry_limit_s", "above 0 and ascending");
  }
  return {};
}

// The most planes that a field can use: each of its pages as it is shown, as it is read again after an edit, and as
// frames under way still see it.
std::size_t useful_planes(const Lattice& lattice, std::size_t coarse_planes) {
  std::size_t planes = 0;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    planes += std::size_t(lattice.pages_x(lod)) * std::size_t(lattice.pages_z(lod)) * (lod > 0 ? coarse_planes : 1);
  }
  return 3 * planes;
}

}  // namespace

std::size_t Streamer::State::fixed_bytes(std::uint32_t planes, const Lattice& lattice, const StreamOptions& options) {
  const std::size_t loads = std::size_t(options.max_loads);
  return std::size_t(planes) * Atlas::State::bytes_per_plane() + stream::PageTable::bytes(planes) +
         stream::WantedPages::bytes(lattice, planes) +
         loads * (sizeof(stream::Load) + 2 * sizeof(std::uint32_t) + sizeof(PageKey)) +
         stream::PageTable::bytes(loads) + stream::Retries::bytes() + kFailures * sizeof(LoadFailure) +
         sizeof(Streamer::State) + sizeof(Atlas::State) + sizeof(stream::PlanePool) + bounds_bytes(lattice) +
         (loads + 64) * 2 * sizeof(void*);
}

Result<StreamPlan> Streamer::State::plan_budget(const PageLoader& loader, const Lattice& lattice,
                                                const StreamOptions& options) {
  const int concurrency = options.jobs != nullptr ? options.jobs->concurrency() : options.threads;
  const std::uint32_t coarse_planes = options.with_max ? 2 : 1;
  StreamPlan plan;
  std::int64_t pinned = 1;
  plan.pinned_lod = lattice.lods() - 1;
  while (plan.pinned_lod > 0) {
    const std::int64_t more = std::int64_t(lattice.pages_x(plan.pinned_lod - 1)) * lattice.pages_z(plan.pinned_lod - 1);
    if (pinned + more > std::min(options.pinned_pages, options.max_loads)) {
      break;
    }
    pinned += more;
    --plan.pinned_lod;
  }
  const std::size_t scratch = std::size_t(concurrency) * loader.scratch_bytes();
  // The pinned pages twice, for they are replaced together when edited, and as many planes again to turn over.
  const std::uint32_t least = 3 * coarse_planes * std::uint32_t(pinned) + 2 * coarse_planes;
  const std::size_t least_bytes = fixed_bytes(least, lattice, options) + scratch;
  if (options.budget_bytes < least_bytes) {
    return usage_error("stream options: budget_bytes of " + std::to_string(options.budget_bytes) +
                       " cannot hold the field's bounds, " + std::to_string(pinned) + " pinned pages and " +
                       std::to_string(options.max_loads) + " loads; give at least " + std::to_string(least_bytes));
  }
  const std::size_t room = options.budget_bytes - scratch;
  const std::size_t per_plane = Atlas::State::bytes_per_plane();
  const std::size_t most = std::max<std::size_t>(useful_planes(lattice, coarse_planes), least);
  std::size_t planes = std::min({room / per_plane, most, std::size_t(1) << 30});
  while (planes > least && fixed_bytes(std::uint32_t(planes), lattice, options) > room) {
    planes -= std::max<std::size_t>(1, (fixed_bytes(std::uint32_t(planes), lattice, options) - room) / (2 * per_plane));
  }
  plan.planes = std::uint32_t(planes);
  plan.fixed_bytes = fixed_bytes(plan.planes, lattice, options);
  plan.admitted_planes = plan.planes - plan.planes / 16 - coarse_planes;
  return plan;
}

Streamer::State::State(const PageLoader& its_loader, const Bounds& its_bounds, const StreamOptions& its_options,
                       const StreamPlan& its_plan)
    : loader(its_loader),
      bounds(its_bounds),
      options(its_options),
      plan(its_plan),
      atlas(std::make_unique<Atlas::State>(its_bounds.lattice(), its_plan.planes, its_options.frames_in_flight)),
      pages(*atlas.state_),
      wanted(its_bounds, its_plan.pinned_lod, its_plan.admitted_planes, its_options.with_max ? 2 : 1),
      loads(std::size_t(its_options.max_loads)),
      loading(std::size_t(its_options.max_loads)),
      retries(its_options.retry_s, its_options.retry_limit_s),
      failures(kFailures) {
  for (std::uint32_t index = std::uint32_t(loads.size()); index-- > 0;) {
    free_loads.push_back(index);
  }
  order.reserve(loads.size());
  asked.reserve(loads.size());
  stats.budget_bytes = options.budget_bytes;
  jobs = options.jobs;
  if (jobs == nullptr) {
    own_jobs = std::make_unique<ThreadJobs>(options.threads, options.max_loads);
    jobs = own_jobs.get();
  }
}

Streamer::State::~State() {
  for (stream::Load& load : loads) {
    if (load.cancel()) {
      pages.pool->give_back(load.box());
    }
  }
  jobs->drain();
  for (const stream::Load& load : loads) {
    while (load.is_out()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

Result<void> Streamer::State::load_coarsest() {
  const PageKey root{std::uint8_t(bounds.lattice().lods() - 1), 0, 0};
  stream::PageBox* box = pages.pool->take(root, planes_of(root) == 2);
  Result<void> result;
  for (int attempt = 0; attempt < kCoarsestAttempts; ++attempt) {
    epoch = loader.epoch();
    result = stream::load_page(loader, root, *box);
    if (result && loader.revision(root) == box->page.revision) {
      pages.place(box, true);
      return {};
    }
  }
  pages.pool->give_back(box);
  if (result) {
    return data_error("the coarsest page changed during each of " + std::to_string(kCoarsestAttempts) +
                      " loads; pause edits while a streamer is made");
  }
  return result;
}

Result<std::unique_ptr<Streamer>> Streamer::create(const PageLoader& loader, const Bounds& bounds,
                                                   const StreamOptions& options) {
  if (const Result<void> valid = check(options); !valid) {
    return Unexpected{valid.error()};
  }
  const Result<StreamPlan> plan = State::plan_budget(loader, bounds.lattice(), options);
  if (!plan) {
    return Unexpected{plan.error()};
  }
  auto state = std::make_unique<State>(loader, bounds, options, *plan);
  if (const Result<void> coarsest = state->load_coarsest(); !coarsest) {
    return Unexpected{coarsest.error()};
  }
  state->count();
  return std::unique_ptr<Streamer>(new Streamer(std::move(state)));
}

Result<std::unique_ptr<Streamer>> Streamer::create(const SampleSource& source, const Bounds& bounds,
                                                   const StreamOptions& options) {
  auto loader = std::make_unique<SourceLoader>(source);
  Result<std::unique_ptr<Streamer>> streamer = create(*loader, bounds, options);
  if (streamer) {
    (*streamer)->state_->own_loader = std::move(loader);
  }
  return streamer;
}

Streamer::Streamer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Streamer::~Streamer() = default;

void Streamer::update(std::span<const Viewpoint> cameras, double time_s) noexcept { state_->update(cameras, time_s); }

void Streamer::bounds_changed() noexcept { state_->wanted.read_bounds(); }

Atlas& Streamer::atlas() noexcept { return state_->atlas; }
const Atlas& Streamer::atlas() const noexcept { return state_->atlas; }
const StreamStats& Streamer::stats() const noexcept { return state_->stats; }
std::span<const LoadFailure> Streamer::failures() const noexcept {
  return {state_->failures.data(), state_->failure_count};
}

}  // namespace arete
