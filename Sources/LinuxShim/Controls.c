// Controls of V4L2 devices.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "LinuxShim.h"

int linux_v4l2_next_control(int descriptor, unsigned after, linux_v4l2_control *result) {
  struct v4l2_query_ext_ctrl query;
  memset(&query, 0, sizeof query);
  memset(result, 0, sizeof *result);
  query.id = after | V4L2_CTRL_FLAG_NEXT_CTRL;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_QUERY_EXT_CTRL, &query);
  if (failure == 0) {
    *result = (linux_v4l2_control){
        .id = query.id,
        .type = query.type,
        .flags = query.flags,
        .elements = query.elems,
        .minimum = query.minimum,
        .maximum = query.maximum,
        .default_value = query.default_value,
        .step = query.step,
    };
    memcpy(result->name, query.name, sizeof query.name);
    return 0;
  }
  if (failure != ENOTTY) return failure;
  // Linux before 3.17, and drivers that answer for themselves.
  struct v4l2_queryctrl old;
  memset(&old, 0, sizeof old);
  old.id = after | V4L2_CTRL_FLAG_NEXT_CTRL;
  failure = linux_v4l2_ioctl(descriptor, VIDIOC_QUERYCTRL, &old);
  if (failure != 0) return failure;
  *result = (linux_v4l2_control){
      .id = old.id,
      .type = old.type,
      .flags = old.flags,
      .elements = 1,
      .minimum = old.minimum,
      .maximum = old.maximum,
      .default_value = old.default_value,
      .step = (unsigned long long)old.step,
  };
  memcpy(result->name, old.name, sizeof old.name);
  return 0;
}

int linux_v4l2_menu_item(int descriptor, unsigned control, unsigned index, int is_numeric, char *name) {
  struct v4l2_querymenu item;
  memset(&item, 0, sizeof item);
  item.id = control;
  item.index = index;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_QUERYMENU, &item);
  if (failure != 0) return failure;
  if (is_numeric) {
    snprintf(name, 33, "%lld", (long long)item.value);
  } else {
    memcpy(name, item.name, sizeof item.name);
    name[32] = 0;
  }
  return 0;
}

int linux_v4l2_get_control(int descriptor, unsigned control, int is_wide, long long *value) {
  struct v4l2_ext_control one;
  struct v4l2_ext_controls request;
  memset(&one, 0, sizeof one);
  memset(&request, 0, sizeof request);
  one.id = control;
  request.count = 1;
  request.controls = &one;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_G_EXT_CTRLS, &request);
  if (failure == 0) {
    *value = is_wide ? one.value64 : one.value;
    return 0;
  }
  if (failure != ENOTTY || is_wide) return failure;
  struct v4l2_control old = {.id = control};
  failure = linux_v4l2_ioctl(descriptor, VIDIOC_G_CTRL, &old);
  if (failure == 0) *value = old.value;
  return failure;
}

int linux_v4l2_set_control(int descriptor, unsigned control, int is_wide, long long value) {
  struct v4l2_ext_control one;
  struct v4l2_ext_controls request;
  memset(&one, 0, sizeof one);
  memset(&request, 0, sizeof request);
  one.id = control;
  if (is_wide) {
    one.value64 = value;
  } else {
    one.value = (int)value;
  }
  request.count = 1;
  request.controls = &one;
  int failure = linux_v4l2_ioctl(descriptor, VIDIOC_S_EXT_CTRLS, &request);
  if (failure != ENOTTY || is_wide) return failure;
  struct v4l2_control old = {.id = control, .value = (int)value};
  return linux_v4l2_ioctl(descriptor, VIDIOC_S_CTRL, &old);
}

int linux_v4l2_follow_control(int descriptor, unsigned control) {
  struct v4l2_event_subscription subscription;
  memset(&subscription, 0, sizeof subscription);
  subscription.type = V4L2_EVENT_CTRL;
  subscription.id = control;
  return linux_v4l2_ioctl(descriptor, VIDIOC_SUBSCRIBE_EVENT, &subscription);
}

int linux_v4l2_take_event(int descriptor) {
  struct v4l2_event event;
  memset(&event, 0, sizeof event);
  return linux_v4l2_ioctl(descriptor, VIDIOC_DQEVENT, &event);
}
