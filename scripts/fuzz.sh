#!/usr/bin/env bash
# Builds the fuzz targets with ASan and UBSan and runs them; findings land in the build folder.
#
#   scripts/fuzz.sh [--seconds N | --runs N] [--minimise] [TARGET...]    default: 60 s each, all targets
#
# --minimise merges what was found interesting into tests/fuzz/corpus, which the suite replays.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

limit=(-max_total_time=60)
minimise=false
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) limit=("-max_total_time=${2:?--seconds needs a number}"); shift 2 ;;
    --runs) limit=("-runs=${2:?--runs needs a number}"); shift 2 ;;
    --minimise) minimise=true; shift ;;
    -h|--help) usage_and_exit "$0" 0 ;;
    -*) die "unknown option '$1'; see $0 --help" ;;
    *) break ;;
  esac
done
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(manifest replay package npy chip)

cd "$TLX_ROOT"
cmake --preset fuzz >/dev/null || die "configuring failed; is scripts/setup.sh done?"
ninja -C build-fuzz -j "$TLX_JOBS" "${targets[@]/#/fuzz-}"
status=0
for target in "${targets[@]}"; do
  kept=tests/fuzz/corpus/$target
  found=build-fuzz/corpus/$target
  mkdir -p "$found" build-fuzz/findings
  say "fuzz: $target"
  "build-fuzz/bin/fuzz-$target" "${limit[@]}" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    "-artifact_prefix=build-fuzz/findings/$target-" "$found" "$kept" 2>&1 |
    grep -E "ERROR|SUMMARY|stat::number_of_executed_units|property|runtime error" || true
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
  if $minimise; then
    rm -rf build-fuzz/merged && mkdir -p build-fuzz/merged
    "build-fuzz/bin/fuzz-$target" -merge=1 -max_len=2048 build-fuzz/merged "$kept" "$found" >/dev/null 2>&1
    cp -n build-fuzz/merged/* "$kept"/
  fi
done
exit $status
