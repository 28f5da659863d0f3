#!/bin/sh
# Take the controller off a table PC: `make uninstall`.  What it recorded and how it was set stays.
#
# The unit is gone from the disk before anything that it starts: after a power cut in between there
# is no table that fails at each boot, and uninstalling again takes off the rest.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
dest=${DESTDIR:-}
[ -z "$dest" ] || dest=$(cd "$dest" && pwd)
home=/opt/tablekeeper
unit=tablekeeper.service

say() { echo "uninstall: $*"; }

[ -n "$dest" ] || [ "$(id -u)" = 0 ] || { say "only root can: sudo make uninstall" >&2; exit 1; }
live=no
if [ -z "$dest" ] && [ -d /run/systemd/system ]; then live=yes; fi

if [ $live = yes ] && systemctl is-active --quiet $unit; then
  "$home/tablekeeper" between-rounds --socket /run/tablekeeper/control.sock ||
    { say "the table is in a round; nothing has changed. At once: systemctl stop tablekeeper" >&2
      exit 1; }
fi
if [ $live = yes ]; then systemctl disable --quiet --now $unit 2>/dev/null || true; fi

sync_all() {
  for folder in "$dest$home" "$dest/usr/lib" "$dest/usr/local/bin" "$dest/etc"; do
    [ ! -d "$folder" ] || sync -f "$folder"
  done
}

sync_all
# What this version puts somewhere, and what the installed one has put there.
places=$(sed 's/#.*//' "$here/systemd/files" | awk '{ print $3 }')
installed=$(cd "$dest$home/current/system" 2>/dev/null && find . ! -type d | cut -c 2-) || true
for file in $places $installed; do
  case $file in $home/*) continue ;; esac
  rm -f "$dest$file" "$dest$file.new"
  case $file in *.service.d/*) rmdir "$dest${file%/*}" 2>/dev/null || true ;; esac
done
rm -f "$dest/run/tablekeeper/gave-up" "$dest/etc/systemd/system/multi-user.target.wants/$unit" \
  "$dest/etc/systemd/system/$unit.d/settings.conf"
rmdir "$dest/etc/systemd/system/$unit.d" 2>/dev/null || true
sync_all
rm -rf "$dest${home:?}"

if [ $live = yes ]; then
  systemctl daemon-reload
  systemctl reset-failed $unit tablekeeper-gave-up.service 2>/dev/null || true
  if [ -e /run/udev/control ]; then udevadm control --reload; fi
fi
sync_all
say "done. Left as they are: the log in $dest/var/lib/tablekeeper, the settings in"
say "$dest/etc/tablekeeper, the user tablekeeper, whose they are, and the group tablekeeper-watch."
