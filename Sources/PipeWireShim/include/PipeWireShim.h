// A virtual PipeWire camera for photome-bench: libpipewire's interface is inline functions and variadic macros, which Swift
// can't call. GStreamer's pipewiresink would do, but the one of PipeWire 0.3.65 loses the frames' timestamps.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A camera with one mode. Its functions may be called from one thread at a time.
typedef struct PipeWireCamera PipeWireCamera;

/// Connects a camera, which exists until `pipewire_camera_free` or the end of the process.
///
/// `name` becomes `node.name` and the name for people; it is copied. `layout` is "MJPG", "YUY2", "NV12" or "I420".
/// `frame_size` is the largest number of bytes of a frame. Returns NULL when PipeWire does not answer or the layout is
/// unknown.
PipeWireCamera *_Nullable pipewire_camera_new(const char *name, const char *layout, uint32_t width, uint32_t height,
                                              uint32_t frames_per_second, uint32_t frame_size);

/// Sends a frame, which is copied, to all readers. `time` is CLOCK_MONOTONIC in nanoseconds. Returns false when there is no
/// reader or no free buffer: then the frame is lost, as a camera's would be.
bool pipewire_camera_send(PipeWireCamera *camera, const void *bytes, uint32_t count, int64_t time);

/// Whether PipeWire has ended the connection.
bool pipewire_camera_has_failed(PipeWireCamera *camera);

/// Disconnects the camera and frees it.
void pipewire_camera_free(PipeWireCamera *camera);

#pragma clang assume_nonnull end
