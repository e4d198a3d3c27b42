#!/usr/bin/env bash
# Installs the Debian packages that building and testing need (scripts/packages.txt).
# Needs root or sudo only if something is missing; running it again changes nothing.
#
#   scripts/setup.sh               install what is missing
#   scripts/setup.sh --check       only say what is missing; exit 1 if anything is
#   scripts/setup.sh --fbtriton    and fbtriton from PyPI, in an environment of its own: tests that record then run
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check_only=false
fbtriton=false
case "${1:-}" in
  "") ;;
  --check) check_only=true ;;
  --fbtriton) fbtriton=true ;;
  -h|--help) usage_and_exit "$0" 0 ;;
  *) die "unknown argument '$1'; see $0 --help" ;;
esac

command -v dpkg-query >/dev/null || die "this is no Debian system (dpkg is missing); install the packages of scripts/packages.txt by hand"
# finish: the packages are there.
finish() {
  say "setup: all $total packages are installed"
  $fbtriton || exit 0
  version=$(sed -n 's/^fbtriton = .*"\(fbtriton==[0-9.]*\)".*/\1/p' "$TLX_ROOT/python/pyproject.toml")
  "$TLX_PYTHON" -m venv "$TLX_FBTRITON_FOLDER"
  "$TLX_FBTRITON_FOLDER/bin/pip" install -q "$version" numpy pytest || die "$version cannot be installed; is PyPI reachable?"
  say "setup: $version is in $TLX_FBTRITON_FOLDER"
  exit 0
}
installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
total=0
while read -r package; do
  total=$((total + 1))
  installed "$package" || missing+=("$package")
done < <(grep -v '^#' "$TLX_ROOT/scripts/packages.txt")

if [ ${#missing[@]} -eq 0 ]; then
  finish
fi
say "setup: ${#missing[@]} of $total packages are missing: ${missing[*]}"
$check_only && exit 1

. /etc/os-release
if [ "${ID:-}" = debian ] && [ "${VERSION_ID:-99}" -lt 12 ]; then
  die "Debian ${VERSION_ID} is too old; LLVM 22 comes with Debian 12 and later"
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  die "installing packages needs root or sudo"
fi

say "setup: apt-get update"
"${as_root[@]}" apt-get update -q || die "apt-get update failed; are the package sources reachable?"
absent=()
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || absent+=("$package")
done
if [ ${#absent[@]} -gt 0 ]; then
  die "the configured package sources lack: ${absent[*]} (Debian 12 has them in its security archive, bookworm-security main: does /etc/apt/sources.list name it?)"
fi

say "setup: apt-get install ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}" || die "apt-get install failed"
for package in "${missing[@]}"; do
  installed "$package" || die "$package is still not installed"
done
finish
