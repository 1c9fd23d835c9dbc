// Linux calls missing from Swift's Glibc module.
#define _GNU_SOURCE
#include "LinuxShim.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
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

void linux_give_back_memory(void) { malloc_trim(0); }

int linux_use_one_heap(void) { return mallopt(M_ARENA_MAX, 1) == 1 ? 0 : -1; }

int linux_spawn_apart(posix_spawn_file_actions_t *actions, const char *folder) {
  int code = posix_spawn_file_actions_addchdir_np(actions, folder);
  return code ? code : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

int linux_v4l2_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

const unsigned long linux_vidioc_querycap = VIDIOC_QUERYCAP;
const unsigned long linux_vidioc_enum_fmt = VIDIOC_ENUM_FMT;
const unsigned long linux_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
const unsigned long linux_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
