#!/usr/bin/env bash
# Builds the fuzz targets with ASan and UBSan and runs them; findings land in the build folder.
#
#   scripts/fuzz.sh [--seconds N | --runs N] [--minimise] [TARGET...]    default: 60 s each, all targets
#
# --minimise keeps as few inputs as cover the same in tests/fuzz/corpus, which the suite replays.
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

cd "$TLX_ROOT"
cmake --preset fuzz >/dev/null || die "configuring failed; is scripts/setup.sh done?"
ninja -C build-fuzz -j "$TLX_JOBS" fuzz-formats fuzz-ir
# LLVM's libraries are not instrumented, and mark memory that inlined code does not unmark.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0
mkdir -p build-fuzz/findings

# fuzz PROGRAM TARGET FOLDER: one target, from the kept inputs and those found before.
fuzz() {
  local kept=build-fuzz/kept/$3 found=build-fuzz/corpus/$2 words=build-fuzz/$2.dict longest=512
  rm -rf "$kept" && mkdir -p "$found"
  python3 tests/fuzz/kept.py unpack "tests/fuzz/corpus/$3" "$kept"
  if [ "$1" = fuzz-ir ]; then
    longest=4096
    cp verify/report/examples/*.mlir "$kept"
  fi
  # The words of the format are those of the kept inputs.
  grep -ahoE '[A-Za-z_!#][A-Za-z0-9_.]{2,30}' "$kept"/* | sort -u | sed 's/.*/"&"/' > "$words"
  say "fuzz: $2"
  export TLX_FUZZ_TARGET=$2
  "build-fuzz/bin/$1" "${limit[@]}" -max_len=$longest "-dict=$words" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    "-artifact_prefix=build-fuzz/findings/$2-" "$found" "$kept" 2>&1 |
    grep -E "ERROR|SUMMARY|stat::number_of_executed_units|stat::average_exec|property|runtime error" || true
  local status=${PIPESTATUS[0]}
  if $minimise; then
    rm -rf build-fuzz/merged && mkdir -p build-fuzz/merged
    "build-fuzz/bin/$1" -merge=1 -max_len=$longest build-fuzz/merged "$kept" "$found" >/dev/null 2>&1
    python3 tests/fuzz/kept.py pack build-fuzz/merged "tests/fuzz/corpus/$3"
  fi
  return "$status"
}

status=0
for program in fuzz-formats fuzz-ir; do
  unset TLX_FUZZ_TARGET
  while read -r target folder; do
    [ $# -eq 0 ] || [[ " $* " == *" $target "* ]] || continue
    fuzz "$program" "$target" "$folder" || status=1
  done < <("build-fuzz/bin/$program")
done
exit $status
