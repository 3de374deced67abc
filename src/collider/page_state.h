// What a PageCollider holds.
#pragma once

#include "arete/collider.h"
#include "page_cache.h"

namespace arete {

struct PageCollider::State {
  collider::PageCache cache;
};

}  // namespace arete
