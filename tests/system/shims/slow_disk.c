/* Slow the disk down for one process: LD_PRELOAD this, and as long as the file that SLOW_DISK names
   is there, nothing that is to be on the disk gets there. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for_disk(void) {
  const char *path = getenv("SLOW_DISK");
  while (path && access(path, F_OK) == 0) usleep(10000);
}

int fsync(int fd) {
  wait_for_disk();
  return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  wait_for_disk();
  return syscall(SYS_fdatasync, fd);
}
