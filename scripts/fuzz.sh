#!/usr/bin/env bash
# Builds the fuzz targets with ASan and UBSan and runs them on all cores; summary and findings land in build-fuzz/campaign.
#
#   scripts/fuzz.sh [--minimise] [OPTION...] [TARGET...]    options of tests/fuzz/campaign.py: --seconds, --runs, --cores, ...
#
# --minimise keeps as few inputs as cover the same in tests/fuzz/corpus, which the suite replays.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in -h|--help) usage_and_exit "$0" 0 ;; esac
minimise=false
if [ "${1:-}" = --minimise ]; then minimise=true; shift; fi

cd "$TLX_ROOT"
cmake --preset fuzz >/dev/null || die "configuring failed; is scripts/setup.sh done?"
ninja -C build-fuzz -j "$TLX_JOBS" fuzz-formats fuzz-ir
status=0
$TLX_PYTHON tests/fuzz/campaign.py --bin build-fuzz/bin --out build-fuzz/campaign "$@" || status=$?
if $minimise; then
  export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0
  # The targets that share a folder are merged into it one after the other: what any of them needs is kept.
  for program in fuzz-formats fuzz-ir; do
    while read -r target folder; do
      [ -d "build-fuzz/campaign/corpus/$target" ] || continue
      say "minimise: $target"
      merged=build-fuzz/campaign/merged/$folder
      mkdir -p "$merged"
      TLX_FUZZ_TARGET=$target "build-fuzz/bin/$program" -merge=1 -max_len=4096 "$merged" \
        "build-fuzz/campaign/kept/$target" "build-fuzz/campaign/corpus/$target" >/dev/null 2>&1
    done < <("build-fuzz/bin/$program")
  done
  for merged in build-fuzz/campaign/merged/*; do
    $TLX_PYTHON tests/fuzz/kept.py pack "$merged" "tests/fuzz/corpus/$(basename "$merged")"
  done
  rm -rf build-fuzz/campaign/merged
fi
exit $status
