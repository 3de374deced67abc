// meet_whole_cell() of ray_cell.h in vectors, operation for operation; compiled once a target.
#if defined(ARETE_COLLIDER_MEET_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_MEET_CELL_INL_H_
#undef ARETE_COLLIDER_MEET_CELL_INL_H_
#else
#define ARETE_COLLIDER_MEET_CELL_INL_H_
#endif

#include "collider/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// Rays of which each lane's is tested in a cell; cells are whole numbers in double.
struct CellRays {
  V ox, oz, oy, dx, dz, dy;
  V t_first, t_last;
  V x, z;
  M above;
};

// A point of the ray within its cell.
struct Point {
  V t, fx, fz, c, y;
};
HWY_INLINE Point CellPoint(const CellRays& rays, V t) {
  Point point;
  point.t = t;
  point.fx = hn::Sub(hn::Add(rays.ox, hn::Mul(rays.dx, t)), rays.x);
  point.fz = hn::Sub(hn::Add(rays.oz, hn::Mul(rays.dz, t)), rays.z);
  point.c = hn::Sub(hn::Add(point.fx, point.fz), Splat(1));
  point.y = hn::Add(rays.oy, hn::Mul(rays.dy, t));
  return point;
}

// Where a piece that starts above the ground and ends on or under it meets it.
HWY_INLINE V MeetTime(V t_a, V over_a, V t_b, V over_b) {
  const V part = hn::Div(over_a, hn::Sub(over_a, over_b));
  const V t = hn::Add(t_a, hn::Mul(hn::Sub(t_b, t_a), part));
  return hn::IfThenElse(hn::Gt(over_a, hn::Zero(d)), t, t_a);
}

// Which lanes meet the ground, when and in which triangle; which are not for lanes; and which are above ground in the
// cell. `t_enter` and `t_exit` are when the ray comes to the cell and leaves it; Field has is_area, last_x and last_z.
struct Met {
  M meets, is_upper, hand_over, above;
  V t;
};
template <class Field>
HWY_INLINE Met MeetCells(const CellRays& rays, const Field& field, const Cell& cell, V t_enter, V t_exit) {
  const V zero = hn::Zero(d);
  const V t_b = hn::Min(t_exit, rays.t_last);
  const V t_a = hn::Min(hn::Max(t_enter, rays.t_first), t_b);
  const M has_length = hn::Or(hn::Lt(t_a, t_b), hn::Ge(t_b, rays.t_last));
  const Point a = CellPoint(rays, t_a);
  const Point b = CellPoint(rays, t_b);
  const V over_a = hn::Sub(a.y, CellHeight(cell, a.fx, a.fz));
  const V over_b = hn::Sub(b.y, CellHeight(cell, b.fx, b.fz));
  // A corner without ground, an unknown start that is not above, or a half cell: not for lanes.
  const V least = hn::Min(hn::Min(cell.h00, cell.h11), hn::Min(cell.h10, cell.h01));
  const M unknown = hn::AndNot(rays.above, hn::And(has_length, hn::Le(over_a, zero)));
  M strange = hn::Or(hn::Eq(least, zero), unknown);
  if (field.is_area != 0) {
    const V last_x = Splat(field.last_x), last_z = Splat(field.last_z);
    strange = hn::Or(strange, hn::Or(hn::Or(hn::Eq(rays.x, zero), hn::Eq(rays.z, zero)),
                                     hn::Or(hn::Eq(rays.x, last_x), hn::Eq(rays.z, last_z))));
  }
  const M alive = hn::AndNot(strange, has_length);
  const M crosses =
      hn::Or(hn::And(hn::Lt(a.c, zero), hn::Gt(b.c, zero)), hn::And(hn::Gt(a.c, zero), hn::Lt(b.c, zero)));
  const V on_diagonal = hn::Add(t_a, hn::Mul(hn::Sub(t_b, t_a), hn::Div(a.c, hn::Sub(a.c, b.c))));
  const Point middle = CellPoint(rays, on_diagonal);
  const V over_d = hn::Sub(middle.y, hn::Add(cell.h01, hn::Mul(middle.fx, hn::Sub(cell.h10, cell.h01))));
  const M first = hn::And(crosses, hn::Le(over_d, zero));
  // The piece in which they meet: a..d, d..b, or a..b.
  const M second = hn::AndNot(first, crosses);
  const V start_t = hn::IfThenElse(second, middle.t, t_a), start_over = hn::IfThenElse(second, over_d, over_a);
  const V stop_t = hn::IfThenElse(first, middle.t, t_b), stop_over = hn::IfThenElse(first, over_d, over_b);
  const V side = hn::IfThenElse(first, a.c, hn::IfThenElse(second, b.c, hn::Add(a.c, b.c)));
  Met met;
  met.meets = hn::And(alive, hn::Or(first, hn::Le(over_b, zero)));
  met.is_upper = hn::Gt(side, zero);
  met.hand_over = strange;
  met.above = alive;
  met.t = MeetTime(start_t, start_over, stop_t, stop_over);
  return met;
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
