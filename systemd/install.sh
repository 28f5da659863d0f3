#!/bin/sh
# Install or upgrade the controller on a table PC (Debian 12): `make install`.
#
# The new version is built beside the one that runs.  Only when the table is between two rounds, a
# link is moved from the old to the new and the service started anew: the running process never sees
# a file of another version.  WHEELS=DIR takes everything from a folder that `make wheels` filled on
# a machine with a network.  DESTDIR=DIR builds a tree for an image: nothing of this machine is
# asked, started or changed.
#
# The power may go at any moment.  All that is new is written beside what it replaces and is on the
# disk before the first of it is renamed into its place; what is said to be done is on the disk, too.
# So the table starts with the old or the new version, and installing again mends what a cut has left.
set -eu
umask 022
here=$(cd "$(dirname "$0")/.." && pwd)
dest=${DESTDIR:-}
[ -z "$dest" ] || dest=$(mkdir -p "$dest" && cd "$dest" && pwd)
wheels=${WHEELS:-}
[ ! -d "$wheels" ] || wheels=$(cd "$wheels" && pwd)
home=/opt/tablekeeper
config=/etc/tablekeeper/table.toml
unit=tablekeeper.service
python=${PYTHON:-/usr/bin/python3}
case $python in ?*/*) python=$(cd "$(dirname "$python")" && pwd)/${python##*/} ;; esac
cd / # nothing is taken from where this was called

say() { echo "install: $*"; }
fail() { echo "install: $*" >&2; exit 1; }

live() { [ -z "$dest" ] && [ -d /run/systemd/system ]; }

check() {
  [ -n "$dest" ] || [ "$(id -u)" = 0 ] || fail "only root can install: sudo make install"
  command -v "$python" >/dev/null || fail "$python is missing: $(packages python3-venv)"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or later is needed; $python is older"
  [ -z "$wheels" ] || "$python" -I "$here/systemd/release.py" wheels "$here" "$wheels" ||
    fail "nothing has changed"
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "python3-venv is missing: $(packages python3-venv)"
  [ -n "$dest" ] || command -v systemd-sysusers >/dev/null || fail "this needs systemd"
}

# Tell what a power cut has left: files beside those that they were to replace, or empty ones.
tell_what_was_broken_off() {
  empty=$dest/usr/lib/systemd/system/$unit
  if [ -L "$dest$home/current.new" ] || { [ -e "$empty" ] && [ ! -s "$empty" ]; }; then
    say "an installation was broken off here, as by a power cut; this one mends it"
  fi
}

# Say how a package of Debian's comes onto this PC: `make wheels` has gathered what that needs.
packages() {
  if [ -z "$wheels" ]; then
    echo "apt-get install $1"
  elif ls "$wheels/$1"_*.deb >/dev/null 2>&1; then
    echo "dpkg -iGE $wheels/*.deb (that is" $(cd "$wheels" && ls *.deb | sed 's/_.*//')")"
  else
    echo "$wheels has no Debian package of it: make wheels, on such a Debian with a network"
  fi
}

# Build the version beside the others; what fails leaves nothing behind and changes nothing.
build() {
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/pyproject.toml")
  release=$home/releases/$version-$(date -u +%Y%m%dT%H%M%SZ)
  [ ! -e "$dest$release" ] || fail "$release is there already; try again in a second"
  say "building $release"
  trap 'rm -rf "$dest$release"' EXIT
  "$python" -m venv "$dest$release"
  set -- --quiet --disable-pip-version-check --no-warn-script-location -c "$here/constraints.txt"
  [ -z "$wheels" ] || set -- "$@" --no-index --find-links "$wheels"
  "$dest$release/bin/python" -I -m pip install "$@" "$here" ||
    fail "the new version could not be built; nothing has changed"
  settings=$("$dest$release/bin/python" -I "$here/systemd/release.py" check "$here" "$dest$config") ||
    fail "the new version cannot be used; nothing has changed"
  if [ -n "$dest" ]; then # its scripts name the place where they will be, not where they were made
    grep -rlI "$dest$release" "$dest$release/bin" "$dest$release/pyvenv.cfg" |
      xargs -r sed -i "s|$dest$release|$release|g"
  fi
  while read -r mode source place; do
    case $mode in
      '' | '#') ;;
      link) install -d "$dest$release/system${place%/*}"
        ln -s "$source" "$dest$release/system$place" ;;
      *) install -D -m "$mode" "$here/$source" "$dest$release/system$place" ;;
    esac
  done <"$here/systemd/files"
}

# Wait for the end of the round; the version that runs knows best how to ask it, if it still can:
# a table goes on when the system gets another Python, but nothing of its version starts again.
wait_for_the_round() {
  systemctl is-active --quiet $unit || return 0
  [ "$settings" != example ] ||
    fail "the table runs with the settings of the example, with which the new version does not" \
      "start; give it a name of its own (table.name in $config). Nothing has changed"
  asking=$home/current
  "$asking/bin/python" -I -c 'import controller' 2>/dev/null || asking=$release
  "$asking/bin/tablekeeper" between-rounds --socket /run/tablekeeper/control.sock && return 0
  systemctl is-active --quiet $unit || return 0
  fail "the table did not say that it is between two rounds; nothing has changed. To upgrade at" \
    "once: systemctl stop tablekeeper, then make install again; the round goes on afterwards"
}

# Have everything on the disk that was written so far.  A file system is done as a whole: quicker
# than its thousands of files one by one, and none is forgotten.
sync_all() {
  sync -f "$dest$home" "$dest/usr/lib" "$dest/usr/local/bin" "$dest/etc" ||
    fail "the disk does not confirm what was written: dmesg | tail"
}

# Name what a release has to lie outside of its folder.
outside() { (cd "$dest$1/system" 2>/dev/null && find . ! -type d) | cut -c 2-; }

# Put a release in place: there is no moment without a version, and none with half a file.
switch_to() {
  for file in $(outside "$1"); do
    mkdir -p "$dest${file%/*}"
    cp -P --preserve=mode --remove-destination "$dest$1/system$file" "$dest$file.new"
  done
  ln -sfn "$1" "$dest$home/current.new"
  sync_all
  trap - EXIT
  for file in $(outside "$1") $home/current; do mv -fT "$dest$file.new" "$dest$file"; done
  sync_all
}

# Make the user and the groups.  Before there was tablekeeper-watch, whoever talked to the table was in
# the group of its devices: they move, once.  Who is put into that group later stays: see doctor.
people() {
  moving=$home/people-are-moving # stays until they are, also over a power cut
  if ! getent group tablekeeper-watch >/dev/null; then
    touch $moving
    sync_all
  fi
  systemd-sysusers tablekeeper.conf
  if [ -e $moving ]; then
    for who in $(getent group tablekeeper | cut -d: -f4 | tr , ' '); do
      if gpasswd --add "$who" tablekeeper-watch && gpasswd --delete "$who" tablekeeper; then
        say "$who may talk to the table as before, now by the group tablekeeper-watch, but no longer"
        say "open its devices; $who has to log in again"
      else
        say "$who could not be moved from the group tablekeeper to tablekeeper-watch: do it by hand"
      fi
    done
    sync_all
    rm -f $moving
  fi
  systemd-tmpfiles --create tablekeeper.conf
}

# Hand over the devices, and have the table start with the machine.
settle() {
  people
  sync_all # nothing is started at a boot whose user is not on the disk
  if [ -e /run/udev/control ]; then
    udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=usb
  fi
  systemctl daemon-reload
  systemctl --quiet enable $unit ||
    say "$unit cannot be enabled, so the table does not start with the machine"
  sync_all
}

start() {
  if [ "$settings" != own ]; then
    [ "$settings" = none ] || say "$config is still the example, with which no table starts."
    say "installed. Name the devices: sudo tablekeeper setup (or by hand: copy $config.example to"
    say "$config and change it), then: systemctl start tablekeeper"
    say "Who is to talk to the table: gpasswd --add NAME tablekeeper-watch, and NAME logs in again"
    return
  fi
  systemctl reset-failed $unit tablekeeper-gave-up.service 2>/dev/null || true
  case $was in
    active | activating | failed) ;;
    *) say "installed; the table was closed and stays so: systemctl start tablekeeper"; return ;;
  esac
  if systemctl restart $unit; then
    say "the table runs on $release"
    return
  fi
  [ -n "$previous" ] || fail "the table does not start: journalctl -u tablekeeper -n 50"
  switch_to "$previous"
  systemctl daemon-reload
  systemctl reset-failed $unit || true
  systemctl restart $unit ||
    fail "the table starts neither with $release nor with $previous: journalctl -u tablekeeper -n 50"
  fail "$release did not start (journalctl -u tablekeeper -n 50); the table runs on $previous again"
}

# Keep the version that runs and the one before it; what a power cut left of others goes as well.
forget_old() {
  for old in "$dest$home"/releases/*; do
    case $old in
      "$dest$release" | "$dest$previous") ;;
      *) rm -rf "$old" ;;
    esac
  done
}

check
tell_what_was_broken_off
previous=$(readlink "$dest$home/current" || true)
build
was=inactive
if live; then
  wait_for_the_round
  was=$(systemctl is-active $unit || true)
fi
install -d "$dest/usr/lib" "$dest/usr/local/bin" "$dest/etc"
if [ "$settings" = own ]; then # the old version takes what the new one needs as well
  "$dest$release/bin/python" -I -m controller setup --service --root "$dest/" ||
    say "the service may lack rights that its settings need: sudo tablekeeper setup --service"
fi
switch_to "$release"
if live; then
  settle
  start
elif [ -z "$dest" ]; then
  people
  sync_all
  say "installed; systemd does not run here, so nothing was started"
else
  say "installed into $dest"
fi
forget_old
