// Linux calls missing from Swift's Glibc module: feature-test functions, variadic calls, computed macros.
#ifndef LINUX_SHIM_H
#define LINUX_SHIM_H

#include <linux/videodev2.h>
#include <spawn.h>
// For extended attributes, which Swift's Glibc module leaves out.
#include <sys/xattr.h>
#include <sys/types.h>

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

/// The magic number of the file system that `path` is on, as statfs(2) lists them.
///
/// Thread: any; may block on a network. Ownership: the string stays the caller's. Failure: -1 with errno. Why: Swift's
/// Glibc module lacks sys/vfs.h.
long linux_file_system_type(const char *_Nonnull path);

/// Makes a file without a name in memory; its descriptor is closed on exec.
///
/// Thread: any. Ownership: the result is the caller's to close. Failure: -1 with errno. Why: memfd_create(2) is declared for
/// _GNU_SOURCE only.
int linux_memory_file(const char *_Nonnull name);

/// Closes all descriptors from a number on.
///
/// Thread: any, while no other one opens or uses them. Failure: none. Why: close_range(2) is declared for _GNU_SOURCE only.
void linux_close_from(unsigned first);

/// Makes an empty file share all blocks of another (`FICLONE`), which takes no room until one of the two is changed.
///
/// Thread: any. Ownership: both descriptors stay the caller's. Failure: -1 with errno, EOPNOTSUPP, EXDEV or EINVAL
/// where the file system can't. Why: ioctl(2) is variadic, and the request's macro computes with `sizeof`.
int linux_clone_file(int target, int source);

/// Copies up to `count` bytes from `*offset` of a file to another one's position, which both advance, inside the kernel
/// and where possible by sharing blocks.
///
/// Thread: any. Ownership: both descriptors stay the caller's. Failure: -1 with errno; ENOSYS, EXDEV, EINVAL,
/// EOPNOTSUPP where the file system can't. Why: copy_file_range(2) is declared for _GNU_SOURCE only, which Swift does
/// not define.
ssize_t linux_copy_range(int target, int source, off_t *_Nonnull offset, size_t count);

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

/// Limits of a program and of each process that it starts; the kernel keeps them (setrlimit(2)).
typedef struct {
  /// Of its memory, mapped or reserved, in bytes.
  unsigned long long address_space;
  /// Of each file that it writes, in bytes: SIGXFSZ ends it.
  unsigned long long file_size;
  /// In seconds of processor time: SIGXCPU ends it.
  unsigned long long processor_seconds;
  /// Of all processes and threads of the user.
  unsigned long long processes;
} linux_limits;

/// A program under a supervisor.
typedef struct {
  /// A child of this process, to be reaped after its report.
  pid_t supervisor;
  /// A byte written there sends SIGTERM; closing it kills the program and all its descendants.
  int control;
  /// Nonblocking. Gives one int, as waitpid(2) has it, when the program and all its descendants have ended.
  int report;
} linux_supervised;

/// Starts a program in `folder` with limits, with nothing open but its standard streams: nothing to read, and two files.
///
/// A forked process stands between, to which orphans of the program fall, in whatever session they are
/// (PR_SET_CHILD_SUBREAPER): it kills all of them when the program ends, when `control` is closed, and when this process
/// dies, which closes it too.
///
/// Thread: any. Ownership: the arguments stay the caller's; it closes both descriptors and reaps the supervisor. Failure:
/// returns the errno, that of execve(2) included, else 0; nothing is left then. Why: posix_spawn(3) knows no limits, and
/// what is done between fork(2) and execve(2) can't be done in Swift.
int linux_supervise(
    const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment,
    const char *_Nonnull folder, const char *_Nonnull output, const char *_Nonnull errors,
    const linux_limits *_Nonnull limits, linux_supervised *_Nonnull result);

/// One `ioctl` of a V4L2 device, repeated when a signal interrupts it.
///
/// Thread: any. Ownership: `argument` stays the caller's, and must be of the type that `request` wants. Failure: returns
/// the errno, else 0. Why: ioctl(2) is variadic.
int linux_v4l2_ioctl(int descriptor, unsigned long request, void *_Nonnull argument);

/// The V4L2 requests that PhotoMe makes. Why: their macros compute with `sizeof`, which Swift can't read.
/// @{
extern const unsigned long linux_vidioc_querycap;             // struct v4l2_capability
extern const unsigned long linux_vidioc_g_fmt;                // struct v4l2_format
extern const unsigned long linux_vidioc_try_fmt;              // struct v4l2_format
extern const unsigned long linux_vidioc_enum_fmt;             // struct v4l2_fmtdesc
extern const unsigned long linux_vidioc_enum_framesizes;      // struct v4l2_frmsizeenum
extern const unsigned long linux_vidioc_enum_frameintervals;  // struct v4l2_frmivalenum
/// @}

/// A control of a V4L2 device, as `VIDIOC_QUERY_EXT_CTRL` describes it.
typedef struct {
  unsigned id;
  /// `enum v4l2_ctrl_type`.
  unsigned type;
  /// `V4L2_CTRL_FLAG_…`.
  unsigned flags;
  /// The number of values: more than 1 for an array.
  unsigned elements;
  long long minimum;
  long long maximum;
  long long default_value;
  unsigned long long step;
  /// Ends with a zero.
  char name[33];
} linux_v4l2_control;

/// The functions of V4L2 controls. Why: their structs are packed or have unions without names, which Swift can't read, and
/// drivers differ in the requests that they know.
///
/// Thread: any that may hang with the device. Ownership: all arguments stay the caller's. Failure: each returns the errno,
/// else 0.
/// @{

/// Describes the first control whose number is above `after`. EINVAL when there is none.
int linux_v4l2_next_control(int descriptor, unsigned after, linux_v4l2_control *_Nonnull result);

/// The name of a menu's item: for a menu of numbers, the number. EINVAL for a number that the menu leaves out.
///
/// `name` has room for 33 bytes.
int linux_v4l2_menu_item(
    int descriptor, unsigned control, unsigned index, int is_numeric, char *_Nonnull name);

/// The value of a control; `is_wide` for one of 64 bits.
int linux_v4l2_get_control(int descriptor, unsigned control, int is_wide, long long *_Nonnull value);

/// Sets a control. ERANGE for a value that it can't have, EACCES for one that can't be set now.
int linux_v4l2_set_control(int descriptor, unsigned control, int is_wide, long long value);

/// Asks for an event, told by poll(2) as POLLPRI, each time another descriptor changes the control.
int linux_v4l2_follow_control(int descriptor, unsigned control);

/// Takes an event that waits. ENOENT when none does, on a nonblocking descriptor.
int linux_v4l2_take_event(int descriptor);
/// @}

/// A mode of a V4L2 device, as `VIDIOC_S_FMT` takes and answers it.
typedef struct {
  unsigned width;
  unsigned height;
  unsigned pixel_format;
  /// From one row of the first plane to the next.
  unsigned bytes_per_line;
  /// Of a whole frame.
  unsigned byte_count;
  /// `enum v4l2_colorspace`, `v4l2_ycbcr_encoding`, `v4l2_quantization` and `v4l2_xfer_func`.
  unsigned color_space;
  unsigned matrix;
  unsigned quantization;
  unsigned transfer;
} linux_v4l2_mode;

/// A filled buffer of a V4L2 device.
typedef struct {
  unsigned index;
  unsigned bytes_used;
  /// The driver says that the frame is damaged.
  int is_damaged;
  /// Whether `nanoseconds` are of CLOCK_MONOTONIC; else they mean nothing.
  int is_monotonic;
  long long nanoseconds;
} linux_v4l2_frame;

/// The functions of V4L2 streaming into memory that driver and program share. Why: the structs of the requests have unions
/// without names, which Swift can't read.
///
/// Thread: one at a time for each descriptor; any of them may hang with the device. Ownership: all arguments stay the
/// caller's. Failure: each returns the errno, else 0.
/// @{

/// Asks for width, height and pixel format of `mode`, and fills it with what the driver does instead. EBUSY while another
/// descriptor streams.
int linux_v4l2_set_mode(int descriptor, linux_v4l2_mode *_Nonnull mode);

/// Asks for a rate in frames per second, and gives the one that the driver takes; 0/0 where it doesn't say.
int linux_v4l2_set_rate(int descriptor, unsigned *_Nonnull numerator, unsigned *_Nonnull denominator);

/// Asks for `count` buffers, and gives the number that there are; 0 frees them, which fails while one is mapped.
int linux_v4l2_request_buffers(int descriptor, unsigned *_Nonnull count);

/// Maps a buffer, for reading; the caller unmaps it with munmap(2).
int linux_v4l2_map_buffer(
    int descriptor, unsigned index, const void *_Nullable *_Nonnull address, size_t *_Nonnull length);

/// Gives a buffer to the driver.
int linux_v4l2_queue(int descriptor, unsigned index);

/// Takes a filled buffer. EAGAIN when there is none, on a nonblocking descriptor.
int linux_v4l2_dequeue(int descriptor, linux_v4l2_frame *_Nonnull frame);

/// Starts or stops the stream; stopping takes all buffers from the driver.
int linux_v4l2_stream(int descriptor, int is_on);
/// @}

#endif
