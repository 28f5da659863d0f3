/* Slow the disk down for one process: LD_PRELOAD this, and as long as the file that SLOW_DISK names
   is there, nothing that is to be on the disk gets there; with SLOW_DISK_BELOW only what lies below
   that folder does not. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_meant(int fd) {
  const char *below = getenv("SLOW_DISK_BELOW");
  char link[64], name[4096];
  if (!below) return 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name);
  return length > 0 && (size_t)length >= strlen(below) && !strncmp(name, below, strlen(below));
}

static void wait_for_disk(int fd) {
  const char *path = getenv("SLOW_DISK");
  if (!is_meant(fd)) return;
  while (path && access(path, F_OK) == 0) usleep(10000);
}

int fsync(int fd) {
  wait_for_disk(fd);
  return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  wait_for_disk(fd);
  return syscall(SYS_fdatasync, fd);
}
