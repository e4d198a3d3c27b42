#!/usr/bin/env bash
# Configures and builds everything; binaries land in <build folder>/bin.
#
#   scripts/build.sh [PRESET] [NINJA TARGETS...]    PRESET: release (default), debug, fuzz (ASan and UBSan), tsan
#   TLX_JOBS=N limits the parallel jobs (default: all cores)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
  -h|--help) usage_and_exit "$0" 0 ;;
esac
preset=${1:-release}
[ $# -gt 0 ] && shift
cd "$TLX_ROOT"
say "configure: preset $preset"
cmake --preset "$preset" >/dev/null || die "configuring failed; is scripts/setup.sh done?"
say "build: $TLX_JOBS jobs"
started=$SECONDS
ninja -C "$(build_folder "$preset")" -j "$TLX_JOBS" "$@"
say "build: done in $((SECONDS - started)) s, binaries in $(build_folder "$preset")/bin"
