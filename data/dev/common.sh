# Shared by the scripts of data/dev: the project's folder, packages, the toolchain, the display. Sourced by bash; sets
# $project to the project's folder and changes to it.

project=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$project" || exit 1

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() { printf '\033[1;31m==>\033[0m %s\n' "$*" >&2; exit 1; }
[ -t 2 ] || { say() { printf '==> %s\n' "$*" >&2; }; fail() { printf '==> %s\n' "$*" >&2; exit 1; }; }

# install KIND...: installs the missing packages of these kinds, all at once.
install() {
  local kinds=" $* " kind name reason missing=()
  command -v dpkg-query >/dev/null || { say "This is not Debian: install the packages in data/dev/packages yourself."; return; }
  while read -r kind name reason; do
    [[ $kinds == *" $kind "* ]] || continue
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] && continue
    missing+=("$name")
    say "Missing: $name ($reason)"
  done < <(grep -v '^#' data/dev/packages)
  [ ${#missing[@]} -gt 0 ] || return 0

  local root=() progress=(-q)
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "Please run as root: apt-get install ${missing[*]}"
    root=(sudo)
    [ -t 0 ] || root=(sudo -n)
  fi
  [ -t 2 ] && progress=(-o Dpkg::Progress-Fancy=1)
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${progress[@]}" -y -o DPkg::Lock::Timeout=600)
  say "Reading the package lists (apt-get update)"
  "${apt[@]}" update </dev/null >&2 || say "apt-get update failed; trying with the present lists"
  say "Installing ${#missing[@]} packages"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >&2 \
    || fail "The packages could not be installed; see apt-get's messages above. They are: ${missing[*]}"
}

# need_swift: makes sure that Swift 6.1 or later is in PATH.
need_swift() {
  local folder version
  for folder in ~/.local/share/swiftly/bin /opt/swift/usr/bin /usr/share/swift/usr/bin; do
    command -v swift >/dev/null && break
    [ -x "$folder/swift" ] && PATH=$folder:$PATH
  done
  local advice="Get Swift 6.1 or later for Debian 12 from https://www.swift.org/install/linux/ and add its usr/bin to PATH."
  command -v swift >/dev/null || fail "There is no Swift toolchain here. $advice"
  version=$(swift --version 2>/dev/null </dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -1)
  [ -n "$version" ] || fail "$(command -v swift) does not say its version. $advice"
  [ "$(printf '%s\n' 6.1 "$version" | sort -V | head -1)" = 6.1 ] || fail "Swift $version is too old. $advice"
}

# build_release PRODUCT: builds a program, and the one in which it decodes untrusted pictures, as they are installed. Swift's
# own libraries are linked statically: the loader has a third less to do, and the programs need no toolchain.
build_release() {
  local product
  for product in "$1" photome-decoder; do
    swift build -c release --static-swift-stdlib --product "$product" </dev/null >&2 \
      || fail "The build failed; see the messages above."
  done
}

# has_display: whether a Wayland compositor or an X server can show a window.
has_display() {
  local socket=${WAYLAND_DISPLAY:-}
  [[ $socket == /* ]] || socket=${XDG_RUNTIME_DIR:-/nowhere}/$socket
  [ -n "${WAYLAND_DISPLAY:-}" ] && [ -S "$socket" ] && return 0
  [ -n "${DISPLAY:-}" ] && timeout 5 xdpyinfo >/dev/null 2>&1
}

# compile_translations FOLDER: makes FOLDER/LANGUAGE/LC_MESSAGES/photome.mo of each data/po/LANGUAGE.po.
compile_translations() {
  local po target
  for po in data/po/*.po; do
    [ -e "$po" ] || continue
    target=$1/$(basename "$po" .po)/LC_MESSAGES
    mkdir -p "$target"
    msgfmt -o "$target/photome.mo" "$po" || fail "$po could not be compiled; see msgfmt's message above."
  done
}
