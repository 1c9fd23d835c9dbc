// Linux calls missing from Swift's Glibc module.
#define _GNU_SOURCE
#include "LinuxShim.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int linux_rename_new(int from_folder, const char *from, int to_folder, const char *to) {
  return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

const int linux_o_path = O_PATH;

int linux_open_beneath(int folder, const char *path, int flags, unsigned mode) {
  struct open_how how = {
      .flags = (unsigned)flags,
      .mode = flags & O_CREAT ? mode : 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  };
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

long linux_file_system_type(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (long)status.f_type : -1;
}

int linux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int linux_clone_file(int target, int source) { return ioctl(target, FICLONE, source); }

ssize_t linux_copy_range(int target, int source, off_t *offset, size_t count) {
  return copy_file_range(source, offset, target, NULL, count, 0);
}

void linux_give_back_memory(void) { malloc_trim(0); }

int linux_use_one_heap(void) { return mallopt(M_ARENA_MAX, 1) == 1 ? 0 : -1; }

int linux_v4l2_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

const unsigned long linux_vidioc_querycap = VIDIOC_QUERYCAP;
const unsigned long linux_vidioc_g_fmt = VIDIOC_G_FMT;
const unsigned long linux_vidioc_try_fmt = VIDIOC_TRY_FMT;
const unsigned long linux_vidioc_enum_fmt = VIDIOC_ENUM_FMT;
const unsigned long linux_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
const unsigned long linux_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
