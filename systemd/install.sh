#!/bin/sh
# Install or upgrade the controller on a table PC (Debian 12): `make install`.
#
# The new version is built beside the one that runs.  Only when the table is between two rounds, a
# link is moved from the old to the new and the service started anew: the running process never sees
# a file of another version.  WHEELS=DIR takes everything from a folder that `make wheels` filled on
# a machine with a network.  DESTDIR=DIR builds a tree for an image: nothing of this machine is
# asked, started or changed.
set -eu
umask 022
here=$(cd "$(dirname "$0")/.." && pwd)
dest=${DESTDIR:-}
home=/opt/tablekeeper
config=/etc/tablekeeper/table.toml
unit=tablekeeper.service
python=${PYTHON:-/usr/bin/python3}

say() { echo "install: $*"; }
fail() { echo "install: $*" >&2; exit 1; }

live() { [ -z "$dest" ] && [ -d /run/systemd/system ]; }

check() {
  [ -n "$dest" ] || [ "$(id -u)" = 0 ] || fail "only root can install: sudo make install"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or later is needed; $python is older"
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "python3-venv is missing: apt-get install python3-venv"
  [ -n "$dest" ] || command -v systemd-sysusers >/dev/null || fail "this needs systemd"
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
  [ -z "${WHEELS:-}" ] || set -- "$@" --no-index --find-links "$WHEELS"
  "$dest$release/bin/python" -m pip install "$@" "$here" ||
    fail "the new version could not be built; nothing has changed"
  if [ -n "$dest" ]; then # its scripts name the place where they will be, not where they were made
    grep -rlI "$dest$release" "$dest$release/bin" "$dest$release/pyvenv.cfg" |
      xargs -r sed -i "s|$dest$release|$release|g"
  fi
  "$dest$release/bin/python" -m controller --version >/dev/null ||
    fail "the new version does not start; nothing has changed"
  if [ -e "$dest$config" ]; then
    "$dest$release/bin/python" -m controller signs --config "$dest$config" >/dev/null ||
      fail "the new version does not take the settings of this table; nothing has changed"
  fi
}

# Wait for the end of the round; the version that runs knows best how to ask it, if it still can:
# a table goes on when the system gets another Python, but nothing of its version starts again.
wait_for_the_round() {
  systemctl is-active --quiet $unit || return 0
  asking=$home/current
  "$asking/bin/python" -c 'import controller' 2>/dev/null || asking=$release
  "$asking/bin/tablekeeper" between-rounds --socket /run/tablekeeper/control.sock && return 0
  systemctl is-active --quiet $unit || return 0
  fail "the table did not say that it is between two rounds; nothing has changed. To upgrade at" \
    "once: systemctl stop tablekeeper, then make install again; the round goes on afterwards"
}

files() {
  install -d "$dest$home" "$dest/etc/tablekeeper"
  install -m 755 "$here/systemd/gave-up" "$here/systemd/tablekeeper" "$dest$home"
  install -D -m 644 -t "$dest/usr/lib/systemd/system" \
    "$here/systemd/tablekeeper.service" "$here/systemd/tablekeeper-gave-up.service"
  for other in brltty brltty-udev brltty@; do
    install -D -m 644 "$here/systemd/kept-off.conf" \
      "$dest/usr/lib/systemd/system/$other.service.d/tablekeeper.conf"
  done
  install -D -m 644 -t "$dest/usr/lib/udev/rules.d" "$here/systemd/60-tablekeeper.rules"
  install -D -m 644 "$here/systemd/tablekeeper.modules" "$dest/etc/modules-load.d/tablekeeper.conf"
  install -D -m 644 "$here/systemd/tablekeeper.sysusers" "$dest/usr/lib/sysusers.d/tablekeeper.conf"
  install -D -m 644 "$here/systemd/tablekeeper.tmpfiles" "$dest/usr/lib/tmpfiles.d/tablekeeper.conf"
  first=no
  if [ ! -e "$dest$config" ]; then
    first=yes
    install -m 640 "$here/config/table.toml" "$dest$config"
  fi
  install -d "$dest/usr/local/bin"
  ln -sfn "$home/tablekeeper" "$dest/usr/local/bin/tablekeeper"
}

# Move the link in one step: there is no moment without a version.
switch_to() {
  ln -sfn "$1" "$dest$home/current.new"
  mv -T "$dest$home/current.new" "$dest$home/current"
}

# Make the user and the groups.  Before there was tablekeeper-watch, whoever talked to the table was in
# the group of its devices: they move, once.  Who is put into that group later stays: see doctor.
people() {
  watch=no
  if getent group tablekeeper-watch >/dev/null; then watch=there; fi
  systemd-sysusers tablekeeper.conf
  if [ $watch = no ]; then
    for who in $(getent group tablekeeper | cut -d: -f4 | tr , ' '); do
      if gpasswd --add "$who" tablekeeper-watch && gpasswd --delete "$who" tablekeeper; then
        say "$who may talk to the table as before, now by the group tablekeeper-watch, but no longer"
        say "open its devices; $who has to log in again"
      else
        say "$who could not be moved from the group tablekeeper to tablekeeper-watch: do it by hand"
      fi
    done
  fi
  systemd-tmpfiles --create tablekeeper.conf
}

# Hand over the devices, and start what is to run.
settle() {
  people
  if [ -e /run/udev/control ]; then
    udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=usb
  fi
  systemctl daemon-reload
  systemctl --quiet enable $unit
}

start() {
  if [ $first = yes ]; then
    say "installed. Name the devices in $config, then: systemctl start tablekeeper"
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
  systemctl reset-failed $unit || true
  systemctl restart $unit ||
    fail "the table starts neither with $release nor with $previous: journalctl -u tablekeeper -n 50"
  fail "$release did not start (journalctl -u tablekeeper -n 50); the table runs on $previous again"
}

# Keep the version that runs and the one before it.
forget_old() {
  for old in "$dest$home"/releases/*; do
    case $old in
      "$dest$release" | "$dest$previous") ;;
      *) rm -rf "$old" ;;
    esac
  done
}

check
previous=$(readlink "$dest$home/current" || true)
build
was=inactive
if live; then
  wait_for_the_round
  was=$(systemctl is-active $unit || true)
fi
trap - EXIT
files
switch_to "$release"
"$dest$release/bin/python" -m controller setup --service --root "$dest/" ||
  say "the service may lack rights that its settings need: sudo tablekeeper setup --service"
if live; then
  settle
  start
elif [ -z "$dest" ]; then
  people
  say "installed; systemd does not run here, so nothing was started"
else
  say "installed into $dest"
fi
forget_old
