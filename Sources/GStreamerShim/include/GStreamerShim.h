// What Swift can't say to GStreamer and to the V4L2 drivers under it: variadic calls and computed macros.
#pragma once
#include <gst/gst.h>
#include <linux/videodev2.h>

G_BEGIN_DECLS

/// One `ioctl` of a V4L2 device; exists because `ioctl` is variadic.
///
/// Any thread. `argument` belongs to the caller and must be of the type that `request` wants. A call that a signal
/// interrupts is made again.
///
/// @return 0, or the errno of the failure.
int photome_v4l2_ioctl(int descriptor, unsigned long request, void *_Nonnull argument);

/// The requests that PhotoMe makes; they exist because their macros compute with `sizeof`, which Swift can't read.
/// @{
extern const unsigned long photome_vidioc_querycap;             // struct v4l2_capability
extern const unsigned long photome_vidioc_enum_fmt;             // struct v4l2_fmtdesc
extern const unsigned long photome_vidioc_enum_framesizes;      // struct v4l2_frmsizeenum
extern const unsigned long photome_vidioc_enum_frameintervals;  // struct v4l2_frmivalenum
/// @}

G_END_DECLS
