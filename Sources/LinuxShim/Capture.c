// Streaming of V4L2 devices.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "LinuxShim.h"

int linux_v4l2_set_mode(int descriptor, linux_v4l2_mode *mode) {
  struct v4l2_format format;
  memset(&format, 0, sizeof format);
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  format.fmt.pix.width = mode->width;
  format.fmt.pix.height = mode->height;
  format.fmt.pix.pixelformat = mode->pixel_format;
  // Whole frames: two interlaced fields would be two pictures.
  format.fmt.pix.field = V4L2_FIELD_NONE;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_S_FMT, &format);
  if (failure != 0) return failure;
  *mode = (linux_v4l2_mode){
      .width = format.fmt.pix.width,
      .height = format.fmt.pix.height,
      .pixel_format = format.fmt.pix.pixelformat,
      .bytes_per_line = format.fmt.pix.bytesperline,
      .byte_count = format.fmt.pix.sizeimage,
      .color_space = format.fmt.pix.colorspace,
      .matrix = format.fmt.pix.ycbcr_enc,
      .quantization = format.fmt.pix.quantization,
      .transfer = format.fmt.pix.xfer_func,
  };
  return 0;
}

int linux_v4l2_set_rate(int descriptor, unsigned *numerator, unsigned *denominator) {
  struct v4l2_streamparm parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  // V4L2 counts the time of a frame.
  parameters.parm.capture.timeperframe.numerator = *denominator;
  parameters.parm.capture.timeperframe.denominator = *numerator;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_S_PARM, &parameters);
  if (failure != 0) return failure;
  *numerator = parameters.parm.capture.timeperframe.denominator;
  *denominator = parameters.parm.capture.timeperframe.numerator;
  return 0;
}

int linux_v4l2_request_buffers(int descriptor, unsigned *count) {
  struct v4l2_requestbuffers request;
  memset(&request, 0, sizeof request);
  request.count = *count;
  request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  request.memory = V4L2_MEMORY_MMAP;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_REQBUFS, &request);
  if (failure == 0) *count = request.count;
  return failure;
}

/// A description of a buffer, or of the next one, to be filled by the driver.
static struct v4l2_buffer described(unsigned index) {
  struct v4l2_buffer buffer;
  memset(&buffer, 0, sizeof buffer);
  buffer.index = index;
  buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  buffer.memory = V4L2_MEMORY_MMAP;
  return buffer;
}

int linux_v4l2_map_buffer(int descriptor, unsigned index, const void **address, size_t *length) {
  struct v4l2_buffer buffer = described(index);
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_QUERYBUF, &buffer);
  if (failure != 0) return failure;
  void *memory = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, descriptor, buffer.m.offset);
  if (memory == MAP_FAILED) return errno;
  *address = memory;
  *length = buffer.length;
  return 0;
}

int linux_v4l2_queue(int descriptor, unsigned index) {
  struct v4l2_buffer buffer = described(index);
  return linux_v4l2_ioctl(descriptor, VIDIOC_QBUF, &buffer);
}

int linux_v4l2_dequeue(int descriptor, linux_v4l2_frame *frame) {
  struct v4l2_buffer buffer = described(0);
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_DQBUF, &buffer);
  if (failure != 0) return failure;
  *frame = (linux_v4l2_frame){
      .index = buffer.index,
      .bytes_used = buffer.bytesused,
      .is_damaged = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0,
      .is_monotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
      // Whatever the driver says: too large a number is a wrong one, not an error here.
      .nanoseconds = (long long)((unsigned long long)buffer.timestamp.tv_sec * 1000000000ULL +
                                 (unsigned long long)buffer.timestamp.tv_usec * 1000ULL),
  };
  return 0;
}

int linux_v4l2_stream(int descriptor, int is_on) {
  enum v4l2_buf_type type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return linux_v4l2_ioctl(descriptor, is_on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
