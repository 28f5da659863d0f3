#!/bin/sh
# Gather all that a first `make install WHEELS=FOLDER` needs on a PC without a network: `make wheels`.
#
# That is the wheels, for the Python that this runs with, and the packages of Debian without which
# there is no `make` and no environment of Python; what every Debian has is left out.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
python=$2
wanted="python3-venv make"

say() { echo "wheels: $*"; }

mkdir -p "$folder"
"$python" -m pip wheel --quiet --disable-pip-version-check -c "$here/constraints.txt" \
  --wheel-dir "$folder" "$here" hatchling
say "the wheels in $folder are for $("$python" -c 'import platform as p
print("Python %s.%s" % p.python_version_tuple()[:2], "on", p.machine())')"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/status"

# Name all that apt would fetch for these on a machine on which there is nothing.
fetched_for() {
  apt-get -qq -y -o Dir::State::status="$scratch/status" -o Dir::Cache::archives="$scratch" \
    -o Debug::NoLocking=1 install --no-install-recommends --print-uris "$@" |
    cut -d ' ' -f 2 | sed 's/_.*//' | sort -u
}

gather() {
  every=$(dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p')
  fetched_for $wanted >"$scratch/wanted" && [ -s "$scratch/wanted" ] || return 1
  fetched_for apt $every >"$scratch/every"
  if [ "$(id -u)" = 0 ]; then set -- -o APT::Sandbox::User=root; else set --; fi
  (cd "$scratch" && apt-get -qq "$@" download $(comm -23 wanted every)) || return 1
  rm -f "$folder"/*.deb # of other versions, which do not go together with these
  mv "$scratch"/*.deb "$folder"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null && gather; then
  say "its Debian packages are for $(. /etc/os-release && echo "$PRETTY_NAME");" \
    "on a PC without python3-venv or make: sudo dpkg -iGE FOLDER/*.deb"
else
  say "the Debian packages cannot be had here (sudo apt-get update?). A PC without a network needs" \
    "$wanted: on a Debian like it, apt-get download them and what they depend on"
fi
