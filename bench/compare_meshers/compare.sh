#!/bin/sh
# arete beside delatin and martini on the same raw fields: triangles, time, peak memory and the exact error of every mesh.
#
#   compare.sh PATH/TO/bench_adaptive FIELD.raw WxH ERROR...
#
# Makes its packages with `npm ci` here on the first run. Each tool runs alone, in a process of its own. A field comes from a
# DEM by `gdal_translate -of ENVI -ot UInt16 IN OUT.raw`, the fractal by `bench_adaptive --fractal 8193 0.85 1 --write OUT.raw`.
set -eu
bench=$1 field=$2 size=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
[ -d "$here/node_modules" ] || (cd "$here" && npm ci --silent)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for error in "$@"; do
  "$bench" --raw "$field" "$size" --error "$error"
  for tool in delatin martini; do
    node --max-old-space-size=16000 "$here/mesh.js" "$tool" "$field" "${size%x*}" "${size#*x}" "$error" "$scratch/mesh"
    "$bench" --raw "$field" "$size" --verify "$scratch/mesh"
  done
done
