#!/usr/bin/env bash
# Formats every C++ file that git knows with clang-format 22 (.clang-format).
#
#   scripts/format.sh            rewrite files
#   scripts/format.sh --check    change nothing; list files that would change and exit 1
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$TLX_ROOT"
command -v clang-format-22 >/dev/null || die "clang-format-22 is missing; run scripts/setup.sh"
mapfile -d '' files < <(git ls-files -z '*.cpp' '*.h')
[ ${#files[@]} -gt 0 ] || die "git lists no C++ files in $TLX_ROOT"
clang_format() { printf '%s\0' "${files[@]}" | xargs -0 -n 32 -P "$TLX_JOBS" clang-format-22 "$@"; }

case "${1:-}" in
  "")
    clang_format -i
    ;;
  --check)
    unformatted=$(clang_format --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u)
    if [ -n "$unformatted" ]; then
      printf '%s: error: not formatted; run scripts/format.sh\n' $unformatted >&2
      exit 1
    fi
    ;;
  -h|--help) usage_and_exit "$0" 0 ;;
  *) die "unknown argument '$1'; see $0 --help" ;;
esac
say "format: ${#files[@]} files"
