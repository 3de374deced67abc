// Cameras and cuts that look for trouble.
#include "check/views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "check/findings.h"

namespace arete::check {
namespace {
constexpr std::array<const char*, 6> kCameraNames = {"anywhere",          "on a stop",   "on a node corner or edge",
                                                     "at a node's range", "high or low", "outside the field"};
constexpr std::array<const char*, 4> kCutNames = {"plain", "over-refined", "budgeted", "bisected"};
constexpr std::array<double, 8> kErrorFactors = {1, 32, 4, 8, 2, 16, 32, 8};

std::uint64_t scramble(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ value >> 27) * 0x94d049bb133111ebull;
  return value ^ value >> 31;
}

std::uint64_t node_word(std::uint64_t seed, int lod, std::uint32_t x, std::uint32_t z) {
  return scramble(seed ^ scramble(PageKey{static_cast<std::uint8_t>(lod), x, z}.packed()));
}

class Cameras {
 public:
  Cameras(const SampleSource& source, const Bounds& bounds, const Ranges& ranges, double range_0_m, Draws& draws,
          PageReader& pages)
      : lattice_(source.lattice()),
        bounds_(bounds),
        ranges_(ranges),
        range_0_m_(range_0_m),
        draws_(draws),
        pages_(pages) {}

  void place(int kind, View& view) {
    const std::int32_t stop_x = draws_.below(lattice_.stops_x);
    const std::int32_t stop_z = draws_.below(lattice_.stops_z);
    const double extent = std::max({lattice_.width_m(), lattice_.depth_m(), lattice_.spacing_x_m});
    const double above = std::pow(extent + 2, draws_.unit());  // 1 m .. the field's width
    switch (kind) {
      case 0:
        set(view, draws_.between(0, lattice_.width_m()), ground_m(stop_x, stop_z) + above,
            draws_.between(0, lattice_.depth_m()));
        break;
      case 1:
        set(view, lattice_.x_m(stop_x), ground_m(stop_x, stop_z) + (draws_.below(2) == 0 ? 0.0 : above),
            lattice_.z_m(stop_z));
        break;
      case 2:
        at_node_border(view, above);
        break;
      case 3:
        at_range(view);
        break;
      case 4:
        set(view, lattice_.x_m(stop_x),
            draws_.below(2) == 0 ? top_m() + extent * draws_.between(0.5, 20) : bottom_m() - above,
            lattice_.z_m(stop_z));
        break;
      default: {
        const double reach = draws_.below(4) == 0 ? 1e7 : 2 * extent;
        set(view, draws_.below(2) == 0 ? -reach * draws_.unit() : lattice_.width_m() + reach * draws_.unit(),
            draws_.between(bottom_m(), top_m() + extent), draws_.between(-reach, lattice_.depth_m() + reach));
      }
    }
  }

 private:
  static void set(View& view, double x_m, double y_m, double z_m) {
    view.eye_x_m = x_m;
    view.eye_y_m = y_m;
    view.eye_z_m = z_m;
  }
  double bottom_m() const { return lattice_.height_m(bounds_.field_min); }
  double top_m() const { return lattice_.height_m(bounds_.field_max); }
  double ground_m(std::int32_t stop_x, std::int32_t stop_z) {
    const std::uint16_t steps = pages_.steps(HeightPlane::subsample, 0, stop_x, stop_z);
    return lattice_.height_m(steps == kHole ? bounds_.field_min : steps);
  }

  void at_node_border(View& view, double above) {
    const int lod = draws_.below(lattice_.lods());
    const auto border = [&](std::int32_t nodes, std::int32_t last_stop) {
      const std::int64_t stop = std::int64_t(draws_.below(nodes + 1)) * ranges_.node_quads << lod;
      return static_cast<std::int32_t>(std::min<std::int64_t>(stop, last_stop));
    };
    const std::int32_t x = border(lattice_.nodes_x(lod, ranges_.node_quads), lattice_.last_stop_x());
    const std::int32_t z = border(lattice_.nodes_z(lod, ranges_.node_quads), lattice_.last_stop_z());
    set(view, lattice_.x_m(x), ground_m(x, z) + (draws_.below(3) == 0 ? 0.0 : above), lattice_.z_m(z));
    if (draws_.below(2) == 0) {
      view.eye_z_m = draws_.between(0, lattice_.depth_m());
    }
  }

  // Beside, above or below a node's box, at the distance at which it splits, or a step of the number beside it.
  void at_range(View& view) {
    const int lod = std::max(1, draws_.below(lattice_.lods()));
    const std::int32_t x = draws_.below(lattice_.nodes_x(lod, ranges_.node_quads));
    const std::int32_t z = draws_.below(lattice_.nodes_z(lod, ranges_.node_quads));
    const NodeBox box = node_box(bounds_, ranges_.node_quads, std::min(lod, lattice_.lods() - 1),
                                 static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(z), ranges_.plane);
    double range = std::ldexp(range_0_m_, lod - 1);
    const int nudge = draws_.below(3) - 1;
    range = nudge == 0 ? range : std::nextafter(range, nudge * std::numeric_limits<double>::infinity());
    set(view, 0.5 * (box.min_x_m + box.max_x_m), 0.5 * (box.min_y_m + box.max_y_m), 0.5 * (box.min_z_m + box.max_z_m));
    switch (draws_.below(6)) {
      case 0:
        view.eye_x_m = box.min_x_m - range;
        break;
      case 1:
        view.eye_x_m = box.max_x_m + range;
        break;
      case 2:
        view.eye_y_m = box.min_y_m - range;
        break;
      case 3:
        view.eye_y_m = box.max_y_m + range;
        break;
      case 4:
        view.eye_z_m = box.min_z_m - range;
        break;
      default:
        view.eye_z_m = box.max_z_m + range;
    }
  }

  const Lattice& lattice_;
  const Bounds& bounds_;
  const Ranges& ranges_;
  double range_0_m_;
  Draws& draws_;
  PageReader& pages_;
};

bool cut_at(const Bounds& bounds, const Ranges& ranges, const View& view, CutWorkspace& workspace, Cut& cut,
            const Cut& other) {
  select_cut(bounds, view, ranges, workspace, cut);
  return cut.nodes != other.nodes;
}
}  // namespace

std::uint64_t Draws::word() { return scramble(state_ += 0x9e3779b97f4a7c15ull); }

ViewPlan plan_view(const SampleSource& source, const Bounds& bounds, const CheckOptions& options, int index,
                   PageReader& pages) {
  ViewPlan plan;
  plan.index = index;
  Draws draws(scramble(options.seed) + std::uint64_t(index) * 0x632be59bd9b4e019ull);
  const int camera = index % 6;
  const int round = index / 6;
  plan.kind = static_cast<CutKind>(round % 4);
  plan.is_sewn = (index + round / 8) % 2 == 1;
  RangeOptions range_options;
  range_options.node_quads = options.node_quads;
  range_options.plane = (index + round + round / 4) % 2 == 0 ? HeightPlane::subsample : HeightPlane::max;
  range_options.max_error_px = options.max_error_px * kErrorFactors[std::size_t((index + round / 4) % 8)];
  plan.ranges = make_ranges(bounds, options.pixels_per_radian, range_options);
  plan.range_0_m = std::sqrt(double(plan.ranges.select_sq));
  plan.view.pixels_per_radian = options.pixels_per_radian;
  Cameras(source, bounds, plan.ranges, plan.range_0_m, draws, pages).place(camera, plan.view);
  plan.text = text("view %d (%s, %s cut, %s plane, %s indices, %g px, seed %llu, eye %.17g,%.17g,%.17g)", index,
                   kCameraNames[std::size_t(camera)], kCutNames[std::size_t(plan.kind)],
                   range_options.plane == HeightPlane::max ? "max" : "subsample", plan.is_sewn ? "sewn" : "plain",
                   range_options.max_error_px, static_cast<unsigned long long>(options.seed), plan.view.eye_x_m,
                   plan.view.eye_y_m, plan.view.eye_z_m);
  return plan;
}

bool RandomResidency::is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
  for (; lod < lods_ - 1; ++lod, x >>= 1, z >>= 1) {
    if (double(node_word(seed_, lod, x, z) >> 11) * 0x1p-53 < share_) {
      return false;
    }
  }
  return true;
}

void CutSplits::add(const Cut& cut, int lods) {
  for (const Node& node : cut.nodes) {
    std::uint32_t x = node.x >> 1, z = node.z >> 1;
    for (int lod = node.lod + 1; lod < lods; ++lod, x >>= 1, z >>= 1) {
      if (!splits_.insert(PageKey{static_cast<std::uint8_t>(lod), x, z}.packed()).second) {
        break;
      }
    }
  }
}

bool CutSplits::is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
  return splits_.contains(PageKey{static_cast<std::uint8_t>(lod), x, z}.packed());
}

struct OverRefinement::Leaves {
  CutSplits splits;
  std::unordered_set<std::uint64_t> nodes;
};

OverRefinement::OverRefinement(const Cut& plain, int lods, std::uint64_t seed)
    : leaves_(std::make_unique<Leaves>()), lods_(lods), seed_(seed) {
  leaves_->splits.add(plain, lods);
  for (const Node& node : plain.nodes) {
    leaves_->nodes.insert(PageKey{node.lod, node.x, node.z}.packed());
  }
}

OverRefinement::~OverRefinement() = default;

bool OverRefinement::is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
  if (lod == 0) {
    return false;
  }
  if (leaves_->splits.is_split(lod, x, z)) {
    return true;
  }
  if (node_word(seed_, lod, x, z) % 3 != 0) {
    return false;
  }
  // A leaf of the plain cut, or a child of one that is split here too.
  return leaves_->nodes.contains(PageKey{static_cast<std::uint8_t>(lod), x, z}.packed()) ||
         (lod + 1 < lods_ &&
          leaves_->nodes.contains(PageKey{static_cast<std::uint8_t>(lod + 1), x >> 1, z >> 1}.packed()) &&
          is_split(lod + 1, x >> 1, z >> 1));
}

bool bisect_cut_change(const Bounds& bounds, const Ranges& ranges, View& before, View& after, CutWorkspace& workspace,
                       Cut& cut_before, Cut& cut_after) {
  select_cut(bounds, before, ranges, workspace, cut_before);
  if (!cut_at(bounds, ranges, after, workspace, cut_after, cut_before)) {
    return false;
  }
  Cut cut_middle;
  for (;;) {
    View middle = before;
    middle.eye_x_m += (after.eye_x_m - before.eye_x_m) / 2;
    middle.eye_y_m += (after.eye_y_m - before.eye_y_m) / 2;
    middle.eye_z_m += (after.eye_z_m - before.eye_z_m) / 2;
    const auto same = [](const View& a, const View& b) {
      return a.eye_x_m == b.eye_x_m && a.eye_y_m == b.eye_y_m && a.eye_z_m == b.eye_z_m;
    };
    const double apart = std::max({std::abs(after.eye_x_m - before.eye_x_m), std::abs(after.eye_y_m - before.eye_y_m),
                                   std::abs(after.eye_z_m - before.eye_z_m)});
    if (apart <= 1e-9 || same(middle, before) || same(middle, after)) {
      return true;
    }
    if (cut_at(bounds, ranges, middle, workspace, cut_middle, cut_before)) {
      after = middle;
      std::swap(cut_after, cut_middle);
    } else {
      before = middle;
    }
  }
}

}  // namespace arete::check
