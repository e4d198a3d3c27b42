#!/usr/bin/env bash
# Runs clang-tidy 22 (.clang-tidy) on the sources that see no MLIR headers: seconds, so CI can.
# Needs a configured build folder.
#
#   scripts/tidy.sh [--all]    --all: the other sources too, which takes minutes
#   TLX_BUILD=FOLDER           the build folder (default: that of the release preset)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$TLX_ROOT"
wings=(runtime sim verify/smt verify/model verify/checks verify/explore verify/report)
case "${1:-}" in
  "") ;;
  --all) wings=(runtime sim verify compiler) ;;
  -h|--help) usage_and_exit "$0" 0 ;;
  *) die "unknown argument '$1'; see $0 --help" ;;
esac
build=${TLX_BUILD:-$(build_folder release)}
[ -f "$build/compile_commands.json" ] || die "$build is not configured; run scripts/build.sh"

mapfile -d '' files < <(git ls-files -z -- "${wings[@]/%//*.cpp}")
[ ${#files[@]} -gt 0 ] || die "git lists no sources in: ${wings[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
printf '%s\0' "${files[@]}" |
  xargs -0 -n 4 -P "$TLX_JOBS" clang-tidy-22 -p "$build" --quiet >"$log" 2>/dev/null || status=$?
if [ "$status" -ne 0 ]; then
  cat "$log" >&2
  die "clang-tidy found the above"
fi
say "tidy: ${#files[@]} files"
