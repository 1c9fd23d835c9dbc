// LibRaw: raw files of cameras; 0.20 and later. Its settings and results are members of a structure with tables that are too
// long for Swift.
#include <libraw.h>

// Sets how a picture is developed: with the camera's white balance, into sRGB, as the sensor stores it and not turned. Any
// thread that has the handle.
static inline void libraw_prepare(libraw_data_t *_Nonnull data, int is_half_size, int bits_per_sample) {
  data->params.half_size = is_half_size;
  data->params.output_bps = bits_per_sample;
  data->params.use_camera_wb = 1;
  data->params.output_color = 1;
  // sRGB's curve (IEC 61966-2-1) instead of BT.709's.
  data->params.gamm[0] = 1 / 2.4;
  data->params.gamm[1] = 12.92;
  data->params.user_flip = 0;
}

// The size of the developed picture, in pixels.
static inline int libraw_width(const libraw_data_t *_Nonnull data) { return data->sizes.iwidth; }
static inline int libraw_height(const libraw_data_t *_Nonnull data) { return data->sizes.iheight; }

// The size of the sensor, in pixels.
static inline int libraw_sensor_width(const libraw_data_t *_Nonnull data) { return data->sizes.raw_width; }
static inline int libraw_sensor_height(const libraw_data_t *_Nonnull data) { return data->sizes.raw_height; }

// LibRaw 0.21 counts offsets with 64 bits.
#if LIBRAW_VERSION >= LIBRAW_MAKE_VERSION(0, 21, 0)
typedef INT64 libraw_offset_t;
#else
typedef int libraw_offset_t;
#endif

static inline void libraw_note_damage(void *_Nullable data, const char *_Nullable file, const libraw_offset_t offset) {
  (void)file;
  (void)offset;
  if (data) *(int *)data = 1;
}

// Sets a flag to 1 when samples are cut short or impossible. The flag must live as long as the handle.
static inline void libraw_watch_damage(libraw_data_t *_Nonnull data, int *_Nonnull flag) {
  libraw_set_dataerror_handler(data, libraw_note_damage, flag);
}

// The samples of a processed image with 16 bits: rows without gaps, in the machine's byte order. They are aligned behind
// LibRaw's head of 16 bytes.
static inline const unsigned short *_Nonnull libraw_samples(const libraw_processed_image_t *_Nonnull image) {
  return (const unsigned short *)(const void *)image->data;
}
