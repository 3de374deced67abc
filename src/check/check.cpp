// Runs the views of a check over several threads and adds up what they find.
#include "arete/check.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include "check/findings.h"
#include "check/node_mesh.h"
#include "check/triangle_set.h"
#include "check/views.h"
#include "core/workers.h"

namespace arete {
namespace check {
namespace {

// The index buffers that a renderer would use, made when first asked for.
class IndexBuffers {
 public:
  IndexBuffers(int quads, const CheckHooks& hooks) : quads_(quads), hooks_(hooks) {}

  const Triangles& plain() {
    return made(-1, [&] { return node_indices(quads_); });
  }
  const Triangles& sewn(int coarse_mask, NodeCells cells) {
    return made((coarse_mask * 256 + cells.x) * 256 + cells.z, [&] { return sew_indices(quads_, coarse_mask, cells); });
  }

 private:
  template <class Make>
  const Triangles& made(int key, const Make& make) {
    auto at = buffers_.find(key);
    if (at == buffers_.end()) {
      std::vector<std::uint32_t> indices = make();
      if (hooks_.alter_indices) {
        hooks_.alter_indices(indices);
      }
      at = buffers_.emplace(key, Triangles(std::move(indices))).first;
    }
    return at->second;
  }

  int quads_;
  const CheckHooks& hooks_;
  std::map<int, Triangles> buffers_;
};

// One thread's means to judge views.
class ViewJudge {
 public:
  ViewJudge(const SampleSource& source, const Bounds& bounds, const CheckOptions& options, const CheckHooks& hooks,
            bool has_holes)
      : source_(source),
        bounds_(bounds),
        options_(options),
        hooks_(hooks),
        has_holes_(has_holes),
        buffers_(options.node_quads, hooks),
        mesher_(source, bounds),
        pages_(source),
        mesh_(options.node_quads) {}

  Result<CheckReport> judge(int index) {
    report_ = CheckReport{};
    error_.reset();
    plan_ = plan_view(source_, bounds_, options_, index, pages_);
    report_.views = 1;
    switch (plan_.kind) {
      case CutKind::plain:
        judge_plain();
        break;
      case CutKind::over_refined:
        judge_over_refined();
        break;
      case CutKind::budgeted:
        judge_budgeted();
        break;
      case CutKind::bisected:
        judge_bisected();
        break;
    }
    if (!error_ && pages_.error()) {
      error_ = pages_.error();
    }
    if (error_) {
      return Unexpected{*error_};
    }
    for (std::string& line : report_.first_failures) {
      line.insert(0, plan_.text + ": ");
    }
    return std::move(report_);
  }

 private:
  void judge_plain() {
    select_cut(bounds_, plan_.view, plan_.ranges, workspace_, cut_);
    judge_world(cut_, frame_of(plan_.view));
  }

  void judge_budgeted() {
    Draws draws(options_.seed ^ (std::uint64_t(plan_.index) << 20));
    const RandomResidency residency(draws.word(), source_.lattice().lods(), std::pow(10, draws.between(-3, -1)));
    select_cut(bounds_, plan_.view, plan_.ranges, workspace_, cut_, &residency);
    judge_world(cut_, frame_of(plan_.view));
  }

  void judge_over_refined() {
    select_cut(bounds_, plan_.view, plan_.ranges, workspace_, cut_);
    const OverRefinement splits(cut_, source_.lattice().lods(), options_.seed + std::uint64_t(plan_.index));
    Cut refined;
    cut_from_splits(source_.lattice(), options_.node_quads, splits, workspace_, refined);
    const kernel::FrameConstants frame = frame_of(plan_.view);
    judge_world(refined, frame);
    judge_moves(cut_, refined, frame, "under needless refinement");
  }

  // Cameras further and further apart until a cut change lies between them.
  void judge_bisected() {
    Draws draws(options_.seed ^ (std::uint64_t(plan_.index) << 24));
    double reach = 0.02 * plan_.range_0_m;
    for (int attempt = 0; attempt < 12; ++attempt, reach *= 2) {
      View before = plan_.view;
      View after = plan_.view;
      after.eye_x_m += reach * draws.between(-1, 1);
      after.eye_y_m += reach * draws.between(-1, 1);
      after.eye_z_m += reach * draws.between(-1, 1);
      Cut cut_after;
      if (!bisect_cut_change(bounds_, plan_.ranges, before, after, workspace_, cut_, cut_after)) {
        continue;
      }
      ++report_.changes_bisected;
      plan_.text += text(" at eye %.17g,%.17g,%.17g", after.eye_x_m, after.eye_y_m, after.eye_z_m);
      // At either camera, what both cuts split together draws what its own cut draws: a merge at the camera behind it,
      // a split at the one before it.
      CutSplits splits;
      splits.add(cut_, source_.lattice().lods());
      splits.add(cut_after, source_.lattice().lods());
      Cut both;
      cut_from_splits(source_.lattice(), options_.node_quads, splits, workspace_, both);
      judge_moves(cut_, both, frame_of(before), "across a split, camera before it");
      judge_moves(cut_after, both, frame_of(after), "across a merge, camera after it");
      judge_world(cut_after, frame_of(after));
      return;
    }
    judge_world(cut_, frame_of(plan_.view));
  }

  kernel::FrameConstants frame_of(const View& view) const {
    const Anchor anchor = anchor_near(source_.lattice(), view.eye_x_m, view.eye_z_m);
    kernel::FrameConstants frame = make_frame(bounds_, view, plan_.ranges, anchor);
    if (hooks_.alter_frame) {
      hooks_.alter_frame(frame);
    }
    return frame;
  }

  // Meshes one node into mesh_ and settles which of its triangles are drawn. False after an error.
  bool build(const kernel::FrameConstants& frame, const Node& node) {
    mesh_.node = node;
    if (Result<void> built = mesher_.build(frame, plan_.ranges, node, mesh_.layout(), mesh_.words); !built) {
      error_ = built.error();
      return false;
    }
    if (hooks_.alter_vertex) {
      for (int vertex = 0; vertex < node_vertices(options_.node_quads); ++vertex) {
        hooks_.alter_vertex(node, vertex, mesh_.vertex_words(static_cast<std::uint32_t>(vertex)));
      }
    }
    mesh_.judge(plan_.is_sewn
                    ? buffers_.sewn(node.coarse_mask, node_cells(source_.lattice(), node, options_.node_quads))
                    : buffers_.plain());
    return true;
  }

  // Everything that one picture must obey: cover, balance, closure, normals, holes, drawn = collided.
  void judge_world(Cut& cut, const kernel::FrameConstants& frame) {
    if (hooks_.alter_cut) {
      hooks_.alter_cut(cut);
    }
    judge_cover(source_.lattice(), options_.node_quads, cut, report_);
    const Scene scene{source_.lattice(), bounds_, plan_.ranges, frame, has_holes_};
    net_.clear();
    normals_.clear();
    mesher_.clear();
    std::int64_t normals = 0;
    for (const Node& node : cut.nodes) {
      if (!build(frame, node)) {
        return;
      }
      ++report_.nodes;
      ++report_.interiors_checked;
      report_.vertices += node_vertices(options_.node_quads);
      report_.triangles += std::count(mesh_.fates.begin(), mesh_.fates.end(), Fate::drawn);
      mesh_.add_edges(net_);
      normals += mesh_.compare_normals(frame, normals_);
      judge_surface(scene, mesh_, pages_, report_);
    }
    count_failure(report_, &CheckReport::normal_mismatches, normals,
                  text("%lld shared vertices have two normals", static_cast<long long>(normals)));
    judge_opening(net_.open_edges(rim_of(frame)), frame);
  }

  EdgeNet::Rim rim_of(const kernel::FrameConstants& frame) const {
    const Lattice& lattice = source_.lattice();
    const auto bits = [](int half, int anchor, float half_m) {
      return std::bit_cast<std::uint32_t>(static_cast<float>((double(half) - double(anchor)) * double(half_m)));
    };
    return {bits(0, frame.anchor_half_x, frame.half_x_m),
            bits(lattice.half_x(lattice.last_stop_x()), frame.anchor_half_x, frame.half_x_m),
            bits(0, frame.anchor_half_z, frame.half_z_m),
            bits(lattice.half_z(lattice.last_stop_z()), frame.anchor_half_z, frame.half_z_m)};
  }

  void judge_opening(const EdgeNet::Opening& opening, const kernel::FrameConstants& frame) {
    std::string place;
    if (opening.first) {
      const auto& edge = *opening.first;
      const double x = double(frame.anchor_half_x) * frame.half_x_m;
      const double z = double(frame.anchor_half_z) * frame.half_z_m;
      place = text(", the first from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) m", edge[0] + x, double(edge[1]),
                   edge[2] + z, edge[3] + x, double(edge[4]), edge[5] + z);
    }
    count_failure(report_, &CheckReport::cracks, opening.cracks,
                  text("%lld open edges", static_cast<long long>(opening.cracks)) + place);
    count_failure(report_, &CheckReport::t_junctions, opening.t_junctions,
                  text("%lld vertices inside open edges", static_cast<long long>(opening.t_junctions)) + place);
  }

  // Two cuts under one frame must draw the same triangles; only nodes that differ between them can differ.
  void judge_moves(const Cut& before, const Cut& after, const kernel::FrameConstants& frame, const char* when) {
    TriangleSet sets[2];
    const Cut* cuts[2] = {&before, &after};
    for (std::size_t side = 0; side < 2; ++side) {
      std::map<std::uint64_t, Node> others;
      for (const Node& node : cuts[1 - side]->nodes) {
        others.emplace(PageKey{node.lod, node.x, node.z}.packed(), node);
      }
      for (const Node& node : cuts[side]->nodes) {
        const auto other = others.find(PageKey{node.lod, node.x, node.z}.packed());
        if (other != others.end() && other->second == node) {
          continue;
        }
        if (!build(frame, node)) {
          return;
        }
        sets[side].add(mesh_);
      }
    }
    const std::int64_t moved = TriangleSet::count_differing(sets[0], sets[1]);
    count_failure(report_, &CheckReport::merge_moves, moved,
                  text("%lld of %lld triangles differ ", static_cast<long long>(moved),
                       static_cast<long long>(sets[0].size() + sets[1].size())) +
                      when);
  }

  const SampleSource& source_;
  const Bounds& bounds_;
  const CheckOptions& options_;
  const CheckHooks& hooks_;
  const bool has_holes_;
  IndexBuffers buffers_;
  NodeMesher mesher_;
  PageReader pages_;
  CutWorkspace workspace_;
  Cut cut_;
  NodeMesh mesh_;
  EdgeNet net_;
  NormalMap normals_;
  ViewPlan plan_;
  CheckReport report_;
  std::optional<Error> error_;
};

}  // namespace
}  // namespace check

Result<CheckReport> check_field(const SampleSource& source, const Bounds& bounds, const CheckOptions& options,
                                const std::function<void(double)>& progress, const CheckHooks& hooks) {
  ARETE_ASSERT(options.views >= 0 && options.max_error_px > 0 && options.pixels_per_radian > 0);
  constexpr double kPagesShare = 0.05;  // of the progress
  const int jobs = worker_count(options.jobs);
  CheckReport report;
  bool has_holes = false;
  const auto pages_progress = [&](double part) { progress(part * kPagesShare); };
  if (Result<void> judged = check::judge_pages(source, jobs, progress ? pages_progress : progress, report, has_holes);
      !judged) {
    return Unexpected{judged.error()};
  }

  std::atomic<int> next = 0;
  std::mutex mutex;
  std::map<int, std::vector<std::string>> lines;  // by view
  const auto work = [&](const std::atomic<bool>& has_failed) -> Result<void> {
    check::ViewJudge judge(source, bounds, options, hooks, has_holes);
    for (int index = next++; index < options.views && !has_failed; index = next++) {
      Result<CheckReport> part = judge.judge(index);
      const std::lock_guard lock(mutex);
      if (!part) {
        return Unexpected{part.error()};
      }
      check::add_counters(report, *part);
      if (!part->first_failures.empty()) {
        lines[index] = std::move(part->first_failures);
        if (lines.size() > check::kLinesInAll) {
          lines.erase(std::prev(lines.end()));
        }
      }
      if (progress) {
        progress(kPagesShare + (1 - kPagesShare) * double(report.views) / options.views);
      }
    }
    return {};
  };
  if (Result<void> judged = run_workers(std::min(jobs, options.views), work); !judged) {
    return Unexpected{judged.error()};
  }
  for (auto& [index, view_lines] : lines) {
    for (std::string& line : view_lines) {
      if (report.first_failures.size() < check::kLinesInAll) {
        report.first_failures.push_back(std::move(line));
      }
    }
  }
  return report;
}

}  // namespace arete
