#!/bin/sh
# Take the controller off a table PC: `make uninstall`.  What it recorded and how it was set stays.
set -eu
dest=${DESTDIR:-}
home=/opt/tablekeeper
unit=tablekeeper.service

say() { echo "uninstall: $*"; }

[ -n "$dest" ] || [ "$(id -u)" = 0 ] || { say "only root can: sudo make uninstall" >&2; exit 1; }
live=no
if [ -z "$dest" ] && [ -d /run/systemd/system ]; then live=yes; fi

if [ $live = yes ] && systemctl is-active --quiet $unit; then
  "$home/current/bin/tablekeeper" between-rounds --socket /run/tablekeeper/control.sock ||
    { say "the table is in a round; nothing has changed. At once: systemctl stop tablekeeper" >&2
      exit 1; }
fi
if [ $live = yes ]; then systemctl disable --quiet --now $unit 2>/dev/null || true; fi

rm -f "$dest/usr/lib/systemd/system/$unit" \
  "$dest/usr/lib/systemd/system/tablekeeper-gave-up.service" \
  "$dest/usr/lib/udev/rules.d/60-tablekeeper.rules" \
  "$dest/usr/lib/sysusers.d/tablekeeper.conf" \
  "$dest/usr/lib/tmpfiles.d/tablekeeper.conf" \
  "$dest/etc/modules-load.d/tablekeeper.conf" \
  "$dest/etc/systemd/system/$unit.d/settings.conf" \
  "$dest/usr/local/bin/tablekeeper" "$dest/run/tablekeeper/gave-up"
for other in brltty brltty-udev brltty@; do
  rm -f "$dest/usr/lib/systemd/system/$other.service.d/tablekeeper.conf"
  rmdir "$dest/usr/lib/systemd/system/$other.service.d" 2>/dev/null || true
done
rmdir "$dest/etc/systemd/system/$unit.d" 2>/dev/null || true
rm -rf "$dest${home:?}"

if [ $live = yes ]; then
  systemctl daemon-reload
  systemctl reset-failed $unit tablekeeper-gave-up.service 2>/dev/null || true
  if [ -e /run/udev/control ]; then udevadm control --reload; fi
fi
say "done. Left as they are: the log in $dest/var/lib/tablekeeper, the settings in"
say "$dest/etc/tablekeeper, the user tablekeeper, whose they are, and the group tablekeeper-watch."
