// Linux calls missing from Swift's Glibc module.
#define _GNU_SOURCE
#include "LinuxShim.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/ioctl.h>

int linux_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
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
const unsigned long linux_vidioc_enum_fmt = VIDIOC_ENUM_FMT;
const unsigned long linux_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
const unsigned long linux_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
