/* A disk that fails at a chosen call, put between a program and the C library (LD_PRELOAD).
 *
 * Only files below the folder in TORTURE_UNDER are concerned.  The file named in TORTURE_FAULTS is
 * shared memory of six 64-bit numbers, so that a running program can be made to fail and recover:
 *
 *   0  calls made so far       (written here)
 *   1  first call that fails, counted from 1; 0 for none
 *   2  last call that fails
 *   3  errno that it fails with; 0: the process stops before the call, until it is told to go on;
 *      a negative number is the signal that the program dies of there
 *   4  calls failed so far     (written here)
 *   5  1 if reads are counted and refused as well, 2 if looking at files and folders is, too
 *
 * Counted are the calls that a disk can refuse: open for writing, write, sync, truncate, and what
 * makes, renames and removes files.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CALLS, FIRST, LAST, ERRNO, FAILED, READS, NUMBERS };

static _Atomic int64_t *shared;
static char under[PATH_MAX];
static size_t under_bytes;

/* The program cannot do without what this library stands for: say so and end. */
static void give_up(const char *what) {
    fprintf(stderr, "faults.so: %s: %s\n", what, strerror(errno));
    abort();
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("TORTURE_UNDER");
    const char *file = getenv("TORTURE_FAULTS");
    if (!folder || !file) return;
    under_bytes = strlen(folder);
    if (under_bytes + 2 > sizeof under) give_up("TORTURE_UNDER is too long");
    memcpy(under, folder, under_bytes);
    int fd = open(file, O_RDWR | O_CLOEXEC);
    if (fd < 0) give_up(file);
    void *memory = mmap(NULL, NUMBERS * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) give_up("mmap");
    close(fd);
    shared = memory;
}

static int is_under(const char *path) {
    return shared && !strncmp(path, under, under_bytes)
        && (path[under_bytes] == '/' || path[under_bytes] == '\0');
}

/* Count one call; tell whether it fails, and with errno set if so. */
static int fails(void) {
    int64_t call = ++shared[CALLS];
    int64_t first = shared[FIRST];
    if (!first || call < first || call > shared[LAST]) return 0;
    if (!shared[ERRNO]) {
        raise(SIGSTOP);
        return 0;
    }
    ++shared[FAILED];
    if (shared[ERRNO] < 0) {
        kill(getpid(), (int)-shared[ERRNO]);
        pause();
    }
    errno = (int)shared[ERRNO];
    return 1;
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t bytes = readlink(link, path, PATH_MAX - 1);
    if (bytes < 0) return 0;
    path[bytes] = '\0';
    return 1;
}

static int fd_fails(int fd) {
    char path[PATH_MAX];
    int kept = errno;
    if (!shared || !path_of(fd, path) || !is_under(path)) {
        errno = kept;
        return 0;
    }
    errno = kept;
    return fails();
}

static int reads_count(void) {
    return shared && shared[READS];
}

static int path_fails(int folder, const char *path) {
    char whole[2 * PATH_MAX] = "";
    int kept = errno;
    if (!shared) return 0;
    if (path[0] != '/') {
        int known = folder == AT_FDCWD ? getcwd(whole, PATH_MAX) != NULL : path_of(folder, whole);
        if (!known) whole[0] = '\0';
        strncat(whole, "/", sizeof whole - strlen(whole) - 1);
    }
    strncat(whole, path, sizeof whole - strlen(whole) - 1);
    errno = kept;
    return is_under(whole) && fails();
}

/* The C library's own function of that name. */
#define REAL(name) ({ \
    static __typeof__(&name) real; \
    if (!real) { \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    } \
    real; \
})

static int looks_count(void) {
    return shared && shared[READS] > 1;
}

#define WRITES(flags) \
    (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & O_CREAT) || looks_count())

#define MODE_AFTER(flags) \
    mode_t mode = 0; \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) {
    MODE_AFTER(flags)
    return WRITES(flags) && path_fails(AT_FDCWD, path) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_AFTER(flags)
    return WRITES(flags) && path_fails(AT_FDCWD, path) ? -1 : REAL(open64)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE_AFTER(flags)
    return WRITES(flags) && path_fails(folder, path) ? -1 : REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE_AFTER(flags)
    return WRITES(flags) && path_fails(folder, path)
        ? -1 : REAL(openat64)(folder, path, flags, mode);
}

ssize_t write(int fd, const void *data, size_t bytes) {
    return fd_fails(fd) ? -1 : REAL(write)(fd, data, bytes);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) {
    return fd_fails(fd) ? -1 : REAL(pwrite)(fd, data, bytes, at);
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) {
    return fd_fails(fd) ? -1 : REAL(pwrite64)(fd, data, bytes, at);
}

ssize_t read(int fd, void *data, size_t bytes) {
    return reads_count() && fd_fails(fd) ? -1 : REAL(read)(fd, data, bytes);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t at) {
    return reads_count() && fd_fails(fd) ? -1 : REAL(pread)(fd, data, bytes, at);
}

ssize_t pread64(int fd, void *data, size_t bytes, off64_t at) {
    return reads_count() && fd_fails(fd) ? -1 : REAL(pread64)(fd, data, bytes, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return fd_fails(fd) ? -1 : REAL(writev)(fd, parts, count);
}

int fsync(int fd) {
    return fd_fails(fd) ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd) {
    return fd_fails(fd) ? -1 : REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t bytes) {
    return fd_fails(fd) ? -1 : REAL(ftruncate)(fd, bytes);
}

int ftruncate64(int fd, off64_t bytes) {
    return fd_fails(fd) ? -1 : REAL(ftruncate64)(fd, bytes);
}

int fallocate(int fd, int how, off_t at, off_t bytes) {
    return fd_fails(fd) ? -1 : REAL(fallocate)(fd, how, at, bytes);
}

int posix_fallocate(int fd, off_t at, off_t bytes) { /* returns its errno */
    return fd_fails(fd) ? errno : REAL(posix_fallocate)(fd, at, bytes);
}

int mkdir(const char *path, mode_t mode) {
    return path_fails(AT_FDCWD, path) ? -1 : REAL(mkdir)(path, mode);
}

int unlink(const char *path) {
    return path_fails(AT_FDCWD, path) ? -1 : REAL(unlink)(path);
}

int rename(const char *from, const char *to) {
    return path_fails(AT_FDCWD, to) ? -1 : REAL(rename)(from, to);
}

int fchmod(int fd, mode_t mode) {
    return fd_fails(fd) ? -1 : REAL(fchmod)(fd, mode);
}

int chmod(const char *path, mode_t mode) {
    return path_fails(AT_FDCWD, path) ? -1 : REAL(chmod)(path, mode);
}

int stat(const char *path, struct stat *found) {
    return looks_count() && path_fails(AT_FDCWD, path) ? -1 : REAL(stat)(path, found);
}

int stat64(const char *path, struct stat64 *found) {
    return looks_count() && path_fails(AT_FDCWD, path) ? -1 : REAL(stat64)(path, found);
}

int lstat(const char *path, struct stat *found) {
    return looks_count() && path_fails(AT_FDCWD, path) ? -1 : REAL(lstat)(path, found);
}

int lstat64(const char *path, struct stat64 *found) {
    return looks_count() && path_fails(AT_FDCWD, path) ? -1 : REAL(lstat64)(path, found);
}

int fstatat(int folder, const char *path, struct stat *found, int how) {
    return looks_count() && path_fails(folder, path)
        ? -1 : REAL(fstatat)(folder, path, found, how);
}

int fstatat64(int folder, const char *path, struct stat64 *found, int how) {
    return looks_count() && path_fails(folder, path)
        ? -1 : REAL(fstatat64)(folder, path, found, how);
}

int access(const char *path, int how) {
    return looks_count() && path_fails(AT_FDCWD, path) ? -1 : REAL(access)(path, how);
}

DIR *opendir(const char *path) {
    return looks_count() && path_fails(AT_FDCWD, path) ? NULL : REAL(opendir)(path);
}
