// Linux calls missing from Swift's Glibc module: feature-test functions, variadic calls, computed macros.
#ifndef LINUX_SHIM_H
#define LINUX_SHIM_H

#include <linux/videodev2.h>
#include <spawn.h>

/// Renames `from` in one folder to `to` in another atomically unless `to` exists.
///
/// Thread: any. Ownership: descriptors and strings stay the caller's. Failure: -1 with errno, EEXIST when the name is
/// taken, EINVAL when the file system can't do it. Why: renameat2(2) is declared for _GNU_SOURCE only, which Swift does
/// not define.
int linux_rename_new(int from_folder, const char *_Nonnull from, int to_folder, const char *_Nonnull to);

/// The flag of open(2) for a descriptor that only names a file. Why: it is defined for _GNU_SOURCE only.
extern const int linux_o_path;

/// Opens a file below a folder; no part of the path may be a symbolic link or lead out of the folder.
///
/// Thread: any. Ownership: the result is the caller's to close; the rest stays theirs. Failure: -1 with errno, ELOOP for
/// a symbolic link, EXDEV for a path that leads out, ENOSYS before Linux 5.6, EPERM also where a sandbox forbids the
/// call. Why: glibc has no openat2(2).
int linux_open_beneath(int folder, const char *_Nonnull path, int flags, unsigned mode);

/// Returns freed memory to the system; takes some milliseconds.
///
/// Thread: any that nothing waits for. Failure: none; there may be nothing to return. Why: Swift's Glibc module lacks
/// malloc.h.
void linux_give_back_memory(void);

/// Stops glibc from creating further heaps; new threads share the existing ones.
///
/// Thread: the first one, before there are others. Failure: returns -1; everything works on, in more memory. Why: Swift's
/// Glibc module lacks malloc.h.
int linux_use_one_heap(void);

/// Makes a spawned program start in `folder`, with nothing open but its standard streams.
///
/// Thread: any. Ownership: both stay the caller's. Failure: returns the errno, else 0. Why: both actions are declared for
/// _GNU_SOURCE only, which Swift does not define.
int linux_spawn_apart(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull folder);

/// One `ioctl` of a V4L2 device, repeated when a signal interrupts it.
///
/// Thread: any. Ownership: `argument` stays the caller's, and must be of the type that `request` wants. Failure: returns
/// the errno, else 0. Why: ioctl(2) is variadic.
int linux_v4l2_ioctl(int descriptor, unsigned long request, void *_Nonnull argument);

/// The V4L2 requests that PhotoMe makes. Why: their macros compute with `sizeof`, which Swift can't read.
/// @{
extern const unsigned long linux_vidioc_querycap;             // struct v4l2_capability
extern const unsigned long linux_vidioc_enum_fmt;             // struct v4l2_fmtdesc
extern const unsigned long linux_vidioc_enum_framesizes;      // struct v4l2_frmsizeenum
extern const unsigned long linux_vidioc_enum_frameintervals;  // struct v4l2_frmivalenum
/// @}

#endif
