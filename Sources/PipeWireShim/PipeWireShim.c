// A virtual PipeWire camera: a stream that drives its readers at the pace of its frames.
#include "PipeWireShim.h"

#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>
#include <stdlib.h>
#include <string.h>

struct PipeWireCamera {
  struct pw_thread_loop *loop;  // its lock guards everything below
  struct pw_stream *stream;
  uint32_t frame_size;
  uint32_t stride;
  uint32_t sequence;
  bool has_failed;
};

// On the loop's thread, which holds the lock: a reader has chosen the format; answers with the buffers' parameters.
static void on_param_changed(void *data, uint32_t id, const struct spa_pod *param) {
  PipeWireCamera *camera = data;
  if (id != SPA_PARAM_Format || param == NULL) return;
  uint8_t memory[512];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
  const struct spa_pod *params[2] = {
      spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,  //
                                 SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(8, 4, 16),
                                 SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),  //
                                 SPA_PARAM_BUFFERS_size, SPA_POD_Int(camera->frame_size),
                                 SPA_PARAM_BUFFERS_stride, SPA_POD_Int(camera->stride)),
      spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta,  //
                                 SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),  //
                                 SPA_PARAM_META_size, SPA_POD_Int(sizeof(struct spa_meta_header))),
  };
  pw_stream_update_params(camera->stream, params, 2);
}

// On the loop's thread, which holds the lock.
static void on_state_changed(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
  PipeWireCamera *camera = data;
  if (state == PW_STREAM_STATE_ERROR || (state == PW_STREAM_STATE_UNCONNECTED && old != PW_STREAM_STATE_UNCONNECTED)) {
    camera->has_failed = true;
  }
  (void)error;
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .param_changed = on_param_changed, .state_changed = on_state_changed};

static const struct spa_pod *format_of(struct spa_pod_builder *builder, const char *layout, uint32_t width,
                                       uint32_t height, uint32_t frames_per_second) {
  const struct spa_rectangle size = SPA_RECTANGLE(width, height);
  const struct spa_fraction rate = SPA_FRACTION(frames_per_second, 1);
  if (strcmp(layout, "MJPG") == 0) {
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat,  //
        SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),  //
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_mjpg),  //
        SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size),  //
        SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&rate));
  }
  const enum spa_video_format format = strcmp(layout, "YUY2") == 0   ? SPA_VIDEO_FORMAT_YUY2
                                       : strcmp(layout, "NV12") == 0 ? SPA_VIDEO_FORMAT_NV12
                                       : strcmp(layout, "I420") == 0 ? SPA_VIDEO_FORMAT_I420
                                                                     : SPA_VIDEO_FORMAT_UNKNOWN;
  if (format == SPA_VIDEO_FORMAT_UNKNOWN) return NULL;
  return spa_pod_builder_add_object(
      builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat,  //
      SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),  //
      SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw),  //
      SPA_FORMAT_VIDEO_format, SPA_POD_Id(format),  //
      SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size),  //
      SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&rate));
}

PipeWireCamera *pipewire_camera_new(const char *name, const char *layout, uint32_t width, uint32_t height,
                                    uint32_t frames_per_second, uint32_t frame_size) {
  uint8_t memory[512];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
  const struct spa_pod *format = format_of(&builder, layout, width, height, frames_per_second);
  PipeWireCamera *camera = format ? calloc(1, sizeof *camera) : NULL;
  if (camera == NULL) return NULL;
  camera->frame_size = frame_size;
  camera->stride = strcmp(layout, "MJPG") == 0 ? 0 : strcmp(layout, "YUY2") == 0 ? 2 * width : width;

  pw_init(NULL, NULL);
  camera->loop = pw_thread_loop_new(name, NULL);
  if (camera->loop == NULL || pw_thread_loop_start(camera->loop) < 0) {
    pipewire_camera_free(camera);
    return NULL;
  }
  pw_thread_loop_lock(camera->loop);
  struct pw_properties *properties =
      pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source", PW_KEY_MEDIA_ROLE, "Camera", PW_KEY_NODE_NAME, name,
                        PW_KEY_NODE_DESCRIPTION, name, NULL);
  camera->stream = pw_stream_new_simple(pw_thread_loop_get_loop(camera->loop), name, properties, &events, camera);
  const int result = camera->stream == NULL
                         ? -1
                         : pw_stream_connect(camera->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                                             PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS, &format, 1);
  pw_thread_loop_unlock(camera->loop);
  if (result < 0) {
    pipewire_camera_free(camera);
    return NULL;
  }
  return camera;
}

bool pipewire_camera_send(PipeWireCamera *camera, const void *bytes, uint32_t count, int64_t time) {
  pw_thread_loop_lock(camera->loop);
  struct pw_buffer *buffer = pw_stream_get_state(camera->stream, NULL) == PW_STREAM_STATE_STREAMING
                                 ? pw_stream_dequeue_buffer(camera->stream)
                                 : NULL;
  if (buffer != NULL) {
    struct spa_data *data = &buffer->buffer->datas[0];
    const uint32_t taken = data->data == NULL ? 0 : SPA_MIN(count, data->maxsize);
    if (taken > 0) memcpy(data->data, bytes, taken);
    data->chunk->offset = 0;
    data->chunk->size = taken;
    data->chunk->stride = (int32_t)camera->stride;
    data->chunk->flags = 0;
    struct spa_meta_header *header =
        spa_buffer_find_meta_data(buffer->buffer, SPA_META_Header, sizeof(struct spa_meta_header));
    if (header != NULL) {
      header->pts = time;
      header->dts_offset = 0;
      header->flags = 0;
      header->seq = camera->sequence;
    }
    camera->sequence += 1;
    pw_stream_queue_buffer(camera->stream, buffer);
    pw_stream_trigger_process(camera->stream);
  }
  pw_thread_loop_unlock(camera->loop);
  return buffer != NULL;
}

bool pipewire_camera_has_failed(PipeWireCamera *camera) {
  pw_thread_loop_lock(camera->loop);
  const bool has_failed = camera->has_failed;
  pw_thread_loop_unlock(camera->loop);
  return has_failed;
}

void pipewire_camera_free(PipeWireCamera *camera) {
  if (camera->loop != NULL) {
    pw_thread_loop_stop(camera->loop);
    if (camera->stream != NULL) pw_stream_destroy(camera->stream);
    pw_thread_loop_destroy(camera->loop);
  }
  free(camera);
}
