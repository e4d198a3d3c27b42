#!/usr/bin/env bash
# Builds with a sanitizer and runs what it is for; a report of the sanitizer is a failure.
#
#   scripts/sanitize.sh thread                      simulation on several threads: kernels, schedules side by side, a sweep
#   scripts/sanitize.sh address [CTEST OPTION...]   the suite, or a part of it (AddressSanitizer and UBSan)
#
# `thread` takes the compiler's library of the release build, which has no threads. `address` shares the fuzzers' build; the
# whole suite takes hours on two cores.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
  -h|--help) usage_and_exit "$0" 0 ;;
  thread|address) ;;
  *) die "which sanitizer? see $0 --help" ;;
esac
cd "$TLX_ROOT"

if [ "$1" = address ]; then
  export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1
  scripts/build.sh fuzz
  exec ctest --test-dir build-fuzz -j "$TLX_JOBS" --output-on-failure -E 'structure|packages|fuzz' "${@:2}"
fi

scripts/build.sh release TlxCompiler
scripts/build.sh tsan TlxSimDevice tlx-run
mkdir -p build-tsan/lib
ln -sf ../../build/lib/libTlxCompiler.so build-tsan/lib/libTlxCompiler.so
out=build-tsan/sanitize
rm -rf "$out"
mkdir -p "$out/sweep"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 suppressions=$TLX_ROOT/scripts/tsan.supp"
runs=0
failed=0
simulate() {
  runs=$((runs + 1))
  local status=0
  build-tsan/bin/tlx-run --device sim --threads 4 "$@" >"$out/$runs.out" 2>"$out/$runs.err" || status=$?
  [ "$status" -eq 0 ] || { failed=$((failed + 1)); say "exit status $status: tlx-run --device sim --threads 4 $* (see $out/$runs.err)"; }
}
for manifest in kernels/*/*.json; do
  simulate "${manifest%.json}.mlir" --manifest "$manifest"
done
for kernel in gemm/hopper_ws attention/hopper_fwd gemm/blackwell_clc norm/layer_norm_cluster; do
  simulate "kernels/$kernel.mlir" --schedule random:1-6 --race-check --functional-only
done
cp kernels/gemm/hopper_ws.json "$out/sweep/one.json"
cp kernels/gemm/hopper_ws.json "$out/sweep/two.json"
simulate kernels/gemm/hopper_ws.mlir --sweep "$out/sweep"
reports=$(cat "$out"/*.err | grep -c 'WARNING: ThreadSanitizer' || true)
echo "$runs runs, $failed failed, $reports reports of ThreadSanitizer"
[ "$failed" -eq 0 ] && [ "$reports" -eq 0 ]
