#include "GStreamerShim.h"

#include <errno.h>
#include <sys/ioctl.h>

int photome_v4l2_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

const unsigned long photome_vidioc_querycap = VIDIOC_QUERYCAP;
const unsigned long photome_vidioc_enum_fmt = VIDIOC_ENUM_FMT;
const unsigned long photome_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
const unsigned long photome_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
