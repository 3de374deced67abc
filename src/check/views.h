// What the n-th view of a check looks at: a camera, its ranges, and how its cut is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>

#include "arete/check.h"
#include "arete/cut.h"
#include "check/page_reader.h"

namespace arete::check {

enum class CutKind : std::uint8_t { plain, over_refined, budgeted, bisected };

// Random numbers that depend on seed, view and draw alone.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word();
  double unit() { return double(word() >> 11) * 0x1p-53; }  // 0 <= u < 1
  double between(double low, double high) { return low + (high - low) * unit(); }
  std::int32_t below(std::int64_t count) {
    return static_cast<std::int32_t>(word() % static_cast<std::uint64_t>(count));
  }

 private:
  std::uint64_t state_;
};

struct ViewPlan {
  int index = 0;
  CutKind kind = CutKind::plain;
  bool is_sewn = false;  // drawn with the sewn index buffers
  View view;
  Ranges ranges;
  double range_0_m = 0;
  std::string text;  // what it is, for failure lines
};

// Cameras in turn: anywhere above the ground, exactly on a stop, on a node's corner or edge, at the range of a node's
// box, high above or inside the ground, outside the field. The cut kind changes with every six views, plane and pixel
// error from view to view.
ViewPlan plan_view(const SampleSource& source, const Bounds& bounds, const CheckOptions& options, int index,
                   PageReader& pages);

// Withholds random subtrees; the coarsest lod stays.
class RandomResidency final : public Residency {
 public:
  RandomResidency(std::uint64_t seed, int lods, double share) : seed_(seed), lods_(lods), share_(share) {}
  bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override;

 private:
  std::uint64_t seed_;
  int lods_;
  double share_;  // of the nodes of every lod that start a missing subtree
};

// Splits what any of the added cuts splits: the strict ancestors of their nodes.
class CutSplits final : public SplitPredicate {
 public:
  void add(const Cut& cut, int lods);
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override;

 private:
  std::unordered_set<std::uint64_t> splits_;
};

// Splits what a plain cut splits, and at random some of its leaves too, up to two lods further.
class OverRefinement final : public SplitPredicate {
 public:
  OverRefinement(const Cut& plain, int lods, std::uint64_t seed);
  ~OverRefinement() override;
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override;

 private:
  struct Leaves;
  std::unique_ptr<Leaves> leaves_;
  int lods_;
  std::uint64_t seed_;
};

// Moves `before` and `after` together until no camera lies between them, or 1e-9 m, while their cuts still differ.
// False when the cuts at the two ends are equal.
bool bisect_cut_change(const Bounds& bounds, const Ranges& ranges, View& before, View& after, CutWorkspace& workspace,
                       Cut& cut_before, Cut& cut_after);

}  // namespace arete::check
