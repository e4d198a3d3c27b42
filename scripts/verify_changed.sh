#!/usr/bin/env bash
# Verifies the kernels that a change touches, for continuous integration: proves them, writes SARIF,
# and fails when a finding is an error.
#
#   scripts/verify_changed.sh [--base REF] [--all] [--sarif OUT] [-- TLX-VERIFY ARGUMENTS...]
#
# --base: compare with this commit (default: HEAD^); --all: every kernel that git knows.
# $TLX_VERIFY names the program (default: tlx-verify on PATH). Run it in the repository that is checked.
set -euo pipefail

base=HEAD^
all=false
sarif=tlx.sarif
while [ $# -gt 0 ]; do
  case "$1" in
    --base) base=${2:?--base needs a commit}; shift 2 ;;
    --all) all=true; shift ;;
    --sarif) sarif=${2:?--sarif needs a file}; shift 2 ;;
    -h|--help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --) shift; break ;;
    *) echo "verify_changed: error: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
tool=${TLX_VERIFY:-tlx-verify}
command -v "$tool" >/dev/null || { echo "verify_changed: error: there is no $tool; install TLX, or set TLX_VERIFY" >&2; exit 2; }

kernels=('*.ttir' '*.ttgir' '*.source' '*.mlir')
if $all; then
  mapfile -d '' files < <(git ls-files -z -- "${kernels[@]}")
else
  git rev-parse -q --verify "$base^{commit}" >/dev/null ||
    { echo "verify_changed: error: there is no commit '$base'; fetch more history, or use --all" >&2; exit 2; }
  mapfile -d '' files < <(git diff -z --name-only --diff-filter=d "$base" -- "${kernels[@]}")
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "verify_changed: no kernel changed"
  exit 0
fi
status=0
"$tool" --sarif "$@" -- "${files[@]}" >"$sarif" || status=$?
echo "verify_changed: ${#files[@]} kernels, findings in $sarif"
exit $status
