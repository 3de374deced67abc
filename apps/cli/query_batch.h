// Many queries at once: CSV in, CSV out on stdout.
#pragma once

#include <string>

#include "arete/collider.h"
#include "places.h"

namespace arete::cli {

// `what`: height or normal (columns x,z in; x,z,status,y[,nx,ny,nz] out) or ray (ox,oy,oz,dx,dy,dz[,max] in;
// status,t,x,y,z out). Geographic places have columns lon,lat in the place of x,z and ox,oz. Columns may stand in any
// order and others are passed over; numbers read back as the same doubles. Refused with the file's name and line.
Result<void> answer_batch(PageCollider& collider, const Places& places, const std::string& what,
                          const std::string& path);

}  // namespace arete::cli
