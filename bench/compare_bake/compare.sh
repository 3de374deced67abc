#!/bin/sh
# arete bake beside GDAL's own pyramids on the same warm, uncompressed GeoTIFF: wall time, fsync included, processor time,
# peak memory, and stored bytes a sample. Two threads each.
#
#   compare.sh PATH/TO/arete PATH/TO/bench_adaptive SCRATCH_FOLDER SAMPLES...
#
# Makes a fractal of SAMPLES x SAMPLES u16 (8193, 16385) once in the scratch folder. Each tool runs three times, in turn;
# the medians are printed, and their ratios: at most 2 beside `gdaladdo -ro -r average`, 0.6 beside the COG driver.
set -eu
arete=$1 bench=$2 scratch=$3
shift 3

# run NAME OUTPUT COMMAND...: one line "NAME wall cpu peak_MiB bytes" to the log.
run() {
  name=$1 output=$2
  shift 2
  rm -f "$output" "$output.partial"
  cat "$tiff" > /dev/null
  /usr/bin/env time -f "%e %U %S %M" -o "$scratch/time" sh -c '"$@" && sync "$0"' "$output" "$@"
  awk -v name="$name" -v bytes="$(stat -c %s "$output")" '{print name, $1, $2 + $3, $4 / 1024, bytes}' "$scratch/time" >> "$log"
}

for side in "$@"; do
  tiff=$scratch/fractal_$side.tif log=$scratch/log
  if [ ! -e "$tiff" ]; then
    "$bench" --fractal "$side" 0.85 1 --error 65535 --write "$scratch/fractal.raw" > /dev/null
    printf 'ENVI\nsamples = %s\nlines = %s\nbands = 1\nheader offset = 0\ndata type = 12\ninterleave = bsq\nbyte order = 0\n' \
      "$side" "$side" > "$scratch/fractal.hdr"
    gdal_translate -q -a_srs EPSG:32610 -a_ullr 500000 "$((4000000 + side))" "$((500000 + side))" 4000000 \
      "$scratch/fractal.raw" "$tiff"
    rm "$scratch/fractal.raw" "$scratch/fractal.hdr"
  fi
  : > "$log"
  for round in 1 2 3; do
    run gdaladdo "$tiff.ovr" env GDAL_NUM_THREADS=2 gdaladdo -q -ro -r average "$tiff"
    rm "$tiff.ovr"
    run cog "$scratch/cog.tif" gdal_translate -q -of COG -co COMPRESS=ZSTD -co PREDICTOR=YES -co NUM_THREADS=2 "$tiff" "$scratch/cog.tif"
    run arete "$scratch/store.arete" "$arete" --quiet --jobs 2 bake "$tiff" -o "$scratch/store.arete"
  done
  rm "$scratch/cog.tif" "$scratch/store.arete"
  echo "$side x $side"
  awk -v samples="$side" '
    {n[$1]++; wall[$1, n[$1]] = $2; cpu[$1, n[$1]] = $3; peak[$1] = $4 > peak[$1] ? $4 : peak[$1]; bytes[$1] = $5}
    function median(of, name,  a, b, c, t) {
      a = of[name, 1]; b = of[name, 2]; c = of[name, 3]
      if (a > b) {t = a; a = b; b = t}
      return c < a ? a : c > b ? b : c
    }
    END {
      for (i = split("gdaladdo cog arete", names, " "); i >= 1; --i) {
        name = names[i]
        printf "  %-9s wall %6.2f s  cpu %6.2f s  peak %5.0f MiB  %.3f bytes a sample\n", name, median(wall, name),
               median(cpu, name), peak[name], bytes[name] / samples / samples
      }
      printf "  arete / gdaladdo %.2f   arete / cog %.2f\n", median(wall, "arete") / median(wall, "gdaladdo"),
             median(wall, "arete") / median(wall, "cog")
    }' "$log"
done
rm -f "$scratch/log" "$scratch/time"
