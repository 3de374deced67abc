#!/bin/sh
# Runs every fuzzer of a clang build for a while each: run.sh BUILD_FOLDER [SECONDS]
# New inputs go to BUILD_FOLDER/fuzz/<name>; a crash leaves its input there and ends with its exit code.
# OpenEXR reserves up to 2 GiB for what a header promises, and finds that the file ends early before it touches them.
set -eu
build=$1
seconds=${2:-3600}
here=$(cd "$(dirname "$0")" && pwd)
for program in "$build"/tests/fuzz/fuzz_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=$(basename "$program" | sed 's/^fuzz_//')
  mkdir -p "$build/fuzz/$name"
  echo "== $name, $seconds s"
  "$program" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=1024 -malloc_limit_mb=2100 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz/$name/" "$build/fuzz/$name" "$here/corpus/$name"
done
