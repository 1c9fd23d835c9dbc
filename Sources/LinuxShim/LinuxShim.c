// What Swift's Glibc module does not show of Linux.
#define _GNU_SOURCE
#include "LinuxShim.h"

#include <fcntl.h>
#include <stdio.h>

int linux_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
