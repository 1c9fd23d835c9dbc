// A GdkPaintable of a preview's newest frame, which draws from mapped memory without copying.
//
// Under a GL renderer, a frame reaches GTK as a texture over the mapped memory: GTK uploads it at its own size and the
// GPU scales it. A cairo node would be drawn by the processor at the size of the screen, and uploaded after that: 33 MB
// a frame at 3840×2160.
//
// Under the cairo renderer, a frame reaches GTK as a cairo node, the cheapest way under software rendering (1.4 ms of this process's time per
// 720p frame, and 0.6 ms of the X server's; a BGRA texture takes 18). The node records the drawing, and replays it when
// the window is painted. Cairo protects an image surface that is the source of a recording by copy-on-write: destroying
// it copies all pixels for a recording that nobody replays any longer (0.5 ms). A raster source isn't protected: it
// provides its pixels at replay (`acquire`), and is notified when a recording starts or stops using it (`copy`,
// `finish`). So the frame lives exactly as long as a node that draws it, and not a byte is moved before it is painted.

#include "PmPreviewPaintable.h"

#include <gtk/gtk.h>

typedef struct {
  int reference_count;
  const guchar *pixels;
  int width;
  int height;
  int stride;
  gint64 time;
  gpointer owner;
  GDestroyNotify release;
} Frame;

// Drawing is limited to the main thread, so the count needs no lock.
static int frames_alive = 0;

static Frame *frame_ref(Frame *frame) {
  frame->reference_count++;
  return frame;
}

static void frame_unref(Frame *frame) {
  if (--frame->reference_count > 0) return;
  frames_alive--;
  frame->release(frame->owner);
  g_free(frame);
}

int pm_preview_frames_alive(void) { return frames_alive; }

// The raster source.

static cairo_surface_t *frame_acquire(
    cairo_pattern_t *pattern, void *data, cairo_surface_t *target, const cairo_rectangle_int_t *extents) {
  (void)pattern, (void)target, (void)extents;
  const Frame *frame = data;
  return cairo_image_surface_create_for_data(
      (guchar *)frame->pixels, CAIRO_FORMAT_RGB24, frame->width, frame->height, frame->stride);
}

static void frame_release(cairo_pattern_t *pattern, void *data, cairo_surface_t *surface) {
  (void)pattern, (void)data;
  cairo_surface_destroy(surface);
}

static cairo_status_t frame_copied(cairo_pattern_t *pattern, void *data, const cairo_pattern_t *other) {
  (void)pattern, (void)other;
  frame_ref(data);
  return CAIRO_STATUS_SUCCESS;
}

static void frame_finished(cairo_pattern_t *pattern, void *data) {
  (void)pattern;
  frame_unref(data);
}

static cairo_pattern_t *frame_pattern(Frame *frame) {
  cairo_pattern_t *pattern =
      cairo_pattern_create_raster_source(frame_ref(frame), CAIRO_CONTENT_COLOR, frame->width, frame->height);
  cairo_raster_source_pattern_set_acquire(pattern, frame_acquire, frame_release);
  cairo_raster_source_pattern_set_copy(pattern, frame_copied);
  cairo_raster_source_pattern_set_finish(pattern, frame_finished);
  return pattern;
}

// The texture.

static void bytes_released(gpointer frame) { frame_unref(frame); }

// GDK_MEMORY_DEFAULT is premultiplied BGRA in memory on the processors that GTK runs on, and the one format that every
// GL renderer uploads without converting it.
static GdkTexture *frame_texture(Frame *frame) {
  gsize size = (gsize)frame->stride * (frame->height - 1) + (gsize)frame->width * 4;
  GBytes *bytes = g_bytes_new_with_free_func(frame->pixels, size, bytes_released, frame_ref(frame));
  GdkTexture *texture =
      gdk_memory_texture_new(frame->width, frame->height, GDK_MEMORY_DEFAULT, bytes, (gsize)frame->stride);
  g_bytes_unref(bytes);
  return texture;
}

// The paintable.

struct _PmPreviewPaintable {
  GObject parent_instance;
  Frame *frame;
  // The size of all frames in the layout's pixels; 0 for the frame's own.
  int natural_width;
  int natural_height;
  gboolean uses_texture;
  // The frame's texture, made when it is first drawn: GTK keeps what it has uploaded with the texture.
  GdkTexture *texture;
};

static void pm_preview_paintable_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
  PmPreviewPaintable *self = PM_PREVIEW_PAINTABLE(paintable);
  Frame *frame = self->frame;
  if (frame == NULL || width <= 0 || height <= 0) return;

  if (self->uses_texture) {
    const graphene_rect_t bounds = GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height);
    const GdkRGBA black = {0, 0, 0, 1};
    // The frame's fourth byte is padding and may be anything. Over black, a premultiplied color is the same with any
    // alpha.
    gtk_snapshot_append_color(snapshot, &black, &bounds);
    if (self->texture == NULL) self->texture = frame_texture(frame);
    gtk_snapshot_append_texture(snapshot, self->texture, &bounds);
    return;
  }

  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
  cairo_scale(cr, width / frame->width, height / frame->height);
  cairo_pattern_t *pattern = frame_pattern(frame);
  // Where frame pixels are device pixels, cairo skips the filter; elsewhere this one is fast and looks acceptable. That
  // lasts only until the source has adapted to a new size.
  cairo_pattern_set_filter(pattern, CAIRO_FILTER_BILINEAR);
  cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD);
  cairo_set_source(cr, pattern);
  cairo_pattern_destroy(pattern);
  cairo_set_operator(cr, CAIRO_OPERATOR_SOURCE);
  cairo_rectangle(cr, 0, 0, frame->width, frame->height);
  cairo_fill(cr);
  cairo_destroy(cr);
}

static int pm_preview_paintable_get_intrinsic_width(GdkPaintable *paintable) {
  const PmPreviewPaintable *self = PM_PREVIEW_PAINTABLE(paintable);
  if (self->natural_width > 0) return self->natural_width;
  return self->frame ? self->frame->width : 0;
}

static int pm_preview_paintable_get_intrinsic_height(GdkPaintable *paintable) {
  const PmPreviewPaintable *self = PM_PREVIEW_PAINTABLE(paintable);
  if (self->natural_height > 0) return self->natural_height;
  return self->frame ? self->frame->height : 0;
}

static void pm_preview_paintable_interface_init(GdkPaintableInterface *interface) {
  interface->snapshot = pm_preview_paintable_snapshot;
  interface->get_intrinsic_width = pm_preview_paintable_get_intrinsic_width;
  interface->get_intrinsic_height = pm_preview_paintable_get_intrinsic_height;
}

G_DEFINE_TYPE_WITH_CODE(
    PmPreviewPaintable, pm_preview_paintable, G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, pm_preview_paintable_interface_init))

static void pm_preview_paintable_init(PmPreviewPaintable *self) { (void)self; }

static void drop_frame(PmPreviewPaintable *self) {
  g_clear_object(&self->texture);
  g_clear_pointer(&self->frame, frame_unref);
}

static void pm_preview_paintable_finalize(GObject *object) {
  drop_frame(PM_PREVIEW_PAINTABLE(object));
  G_OBJECT_CLASS(pm_preview_paintable_parent_class)->finalize(object);
}

static void pm_preview_paintable_class_init(PmPreviewPaintableClass *class) {
  G_OBJECT_CLASS(class)->finalize = pm_preview_paintable_finalize;
}

PmPreviewPaintable *pm_preview_paintable_new(void) { return g_object_new(PM_TYPE_PREVIEW_PAINTABLE, NULL); }

gboolean pm_preview_paintable_set_frame(
    PmPreviewPaintable *self, const void *pixels, int width, int height, int stride, gint64 time, gpointer owner,
    GDestroyNotify release) {
  if (width <= 0 || height <= 0 || width > 32767 || height > 32767 || stride % 4 != 0 || stride < 4 * width) {
    release(owner);
    return FALSE;
  }
  const Frame *old = self->frame;
  gboolean resized = old == NULL || old->width != width || old->height != height;
  drop_frame(self);
  Frame *frame = g_new(Frame, 1);
  *frame = (Frame){1, pixels, width, height, stride, time, owner, release};
  frames_alive++;
  self->frame = frame;
  if (resized) gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
  gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
  return TRUE;
}

void pm_preview_paintable_clear(PmPreviewPaintable *self) {
  if (self->frame == NULL) return;
  drop_frame(self);
  gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
  gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void pm_preview_paintable_set_natural_size(PmPreviewPaintable *self, int width, int height) {
  if (width == self->natural_width && height == self->natural_height) return;
  self->natural_width = width;
  self->natural_height = height;
  gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
}

void pm_preview_paintable_set_uses_texture(PmPreviewPaintable *self, gboolean uses_texture) {
  self->uses_texture = uses_texture;
  if (!uses_texture) g_clear_object(&self->texture);
}

void pm_preview_paintable_match_renderer(PmPreviewPaintable *self, GtkWidget *widget) {
  GtkNative *native = gtk_widget_get_native(widget);
  GskRenderer *renderer = native ? gtk_native_get_renderer(native) : NULL;
  if (renderer) pm_preview_paintable_set_uses_texture(self, !GSK_IS_CAIRO_RENDERER(renderer));
}

gboolean pm_preview_paintable_has_frame(PmPreviewPaintable *self) { return self->frame != NULL; }

gint64 pm_preview_paintable_get_time(PmPreviewPaintable *self) { return self->frame ? self->frame->time : -1; }
