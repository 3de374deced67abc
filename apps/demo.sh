#!/usr/bin/env bash
# Bakes the White Mountains, proves the store, draws three pictures. Everything lands in out/.
# usage: apps/demo.sh [path of the arete command]
set -euo pipefail
cd "$(dirname "$0")/.."
arete=${1:-build/arete}
out=out
store=$out/whitemountains.arete
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }

say "bake: data/N44W072.hgt.zip, 1201 x 1201 samples of the White Mountains, New Hampshire"
"$arete" bake data/N44W072.hgt.zip -o "$store"

say "check: 300 cameras, random and adversarial"
"$arete" check "$store" --views 300

say "render: three pictures"
"$arete" render "$store" -o "$out/relief.png" --size 1600x900 --stats
"$arete" render "$store" -o "$out/lod.png" --size 1600x900 --colour lod --wireframe --error 6 --stats
"$arete" render "$store" -o "$out/close.png" --size 1600x900 --stats \
  --eye 59800,1700,86000 --target 55000,1300,79800 --sun 225,28 --fov 40

say "written"
printf '%s\n' "$store" "$out/relief.png" "$out/lod.png" "$out/close.png"
