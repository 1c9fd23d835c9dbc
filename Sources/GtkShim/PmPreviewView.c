// A black view with the newest frame in the middle, painted pixel for pixel where it fits.

#include "PmPreviewView.h"

#include "PmScreenWatch.h"

// A blink is dark for this long, then fades for as long again, in microseconds.
#define BLINK_DARK 50000
#define BLINK_FADE 60000

// The opacity of the black over a dimmed picture.
#define DIMMED 0.6f

// A frame that was made for this view may be smaller by this much because of rounding, in device pixels.
#define ROUNDING_SLACK 8

struct _PmPreviewView {
  GtkWidget parent_instance;
  PmPreviewPaintable *paintable;
  GdkFrameClock *clock;
  gulong after_paint;
#if GTK_CHECK_VERSION(4, 12, 0)
  gulong scale_changed;
#endif
  // The frame of the painting in progress, and the last one that `painted` was emitted for; -1 for none.
  gint64 painted_time;
  gint64 reported_time;
  PmScreenWatch *_Nullable screen;
  // The last size that `resized` was emitted with.
  int reported_width;
  int reported_height;
  // The start of the blink on the frame clock, in microseconds; 0 for no blink, -1 for "at the next tick".
  gint64 blink_start;
  double blink_opacity;
  guint blink_tick;
  gboolean is_dimmed;
  double zoom;
  double center_x;
  double center_y;
};

G_DEFINE_TYPE(PmPreviewView, pm_preview_view, GTK_TYPE_WIDGET)

enum { RESIZED, PAINTED, SHOWN, SIGNAL_COUNT };
static guint signals[SIGNAL_COUNT];

// The device pixels of a pixel of the layout. Before GTK 4.12 a whole number: the window is painted larger, and the
// compositor makes it smaller.
static double device_scale(GtkWidget *widget) {
#if GTK_CHECK_VERSION(4, 12, 0)
  GtkNative *native = gtk_widget_get_native(widget);
  GdkSurface *surface = native ? gtk_native_get_surface(native) : NULL;
  if (surface) return gdk_surface_get_scale(surface);
#endif
  return gtk_widget_get_scale_factor(widget);
}

static void report_size(PmPreviewView *self) {
  GtkWidget *widget = GTK_WIDGET(self);
  int width = 0, height = 0;
  if (gtk_widget_get_mapped(widget)) {
    double scale = device_scale(widget);
    width = (int)(gtk_widget_get_width(widget) * scale + 0.5);
    height = (int)(gtk_widget_get_height(widget) * scale + 0.5);
    if (width <= 0 || height <= 0) width = height = 0;
  }
  if (width == self->reported_width && height == self->reported_height) return;
  self->reported_width = width;
  self->reported_height = height;
  g_signal_emit(self, signals[RESIZED], 0, width, height);
}

// The frame's rectangle in the widget's coordinates: on whole device pixels, and unscaled where the frame was made for
// this size.
static void place_frame(PmPreviewView *self, graphene_rect_t *place) {
  GtkWidget *widget = GTK_WIDGET(self);
  double scale = device_scale(widget);
  // As reported to the frame's source, or a frame of that size would not fit.
  double room_width = (double)(int)(gtk_widget_get_width(widget) * scale + 0.5);
  double room_height = (double)(int)(gtk_widget_get_height(widget) * scale + 0.5);
  double width = gdk_paintable_get_intrinsic_width(GDK_PAINTABLE(self->paintable));
  double height = gdk_paintable_get_intrinsic_height(GDK_PAINTABLE(self->paintable));
  gboolean fits = width <= room_width && height <= room_height;
  gboolean fills = room_width - width <= ROUNDING_SLACK || room_height - height <= ROUNDING_SLACK;
  if (!(fits && fills) || self->zoom != 1) {
    double zoom = MIN(room_width / width, room_height / height) * self->zoom;
    width *= zoom;
    height *= zoom;
  }
  double x = (double)(int)(room_width / 2 - width * self->center_x);
  double y = (double)(int)(room_height / 2 - height * self->center_y);
  graphene_rect_init(
      place, (float)(x / scale), (float)(y / scale), (float)(width / scale), (float)(height / scale));
}

// Whether the painting in progress is the first one of its frame.
static gboolean is_new_frame(PmPreviewView *self) {
  return self->painted_time >= 0 && self->painted_time != self->reported_time;
}

static void pm_preview_view_snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  PmPreviewView *self = PM_PREVIEW_VIEW(widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT(
      0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget));
  const GdkRGBA black = {0, 0, 0, 1};
  if (!pm_preview_paintable_has_frame(self->paintable)) {
    gtk_snapshot_append_color(snapshot, &black, &bounds);
  } else {
    graphene_rect_t place;
    place_frame(self, &place);
    // Black only around the picture: painting it below as well would cost a pass over every pixel.
    float right = place.origin.x + place.size.width;
    float bottom = place.origin.y + place.size.height;
    const graphene_rect_t bars[] = {
        GRAPHENE_RECT_INIT(0, 0, bounds.size.width, place.origin.y),
        GRAPHENE_RECT_INIT(0, bottom, bounds.size.width, bounds.size.height - bottom),
        GRAPHENE_RECT_INIT(0, place.origin.y, place.origin.x, place.size.height),
        GRAPHENE_RECT_INIT(right, place.origin.y, bounds.size.width - right, place.size.height),
    };
    for (gsize i = 0; i < G_N_ELEMENTS(bars); i++) {
      if (bars[i].size.width > 0 && bars[i].size.height > 0) gtk_snapshot_append_color(snapshot, &black, &bars[i]);
    }
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &place.origin);
    pm_preview_paintable_match_renderer(self->paintable, widget);
    gdk_paintable_snapshot(GDK_PAINTABLE(self->paintable), snapshot, place.size.width, place.size.height);
    gtk_snapshot_restore(snapshot);
    if (self->is_dimmed) {
      const GdkRGBA shade = {0, 0, 0, DIMMED};
      gtk_snapshot_append_color(snapshot, &shade, &bounds);
    }
  }
  if (self->blink_opacity > 0) {
    const GdkRGBA shade = {0, 0, 0, (float)self->blink_opacity};
    gtk_snapshot_append_color(snapshot, &shade, &bounds);
  }
  self->painted_time = pm_preview_paintable_get_time(self->paintable);
  if (self->screen && is_new_frame(self)) pm_screen_watch_painting(self->screen);
}

static void frame_is_on_screen(gint64 time, gint64 since, void *data) {
  g_signal_emit(data, signals[SHOWN], 0, time, since);
}

static void after_paint(GdkFrameClock *clock, gpointer data) {
  (void)clock;
  PmPreviewView *self = data;
  gint64 time = self->painted_time;
  gboolean is_new = is_new_frame(self);
  self->painted_time = -1;
  pm_screen_watch_painted(self->screen, is_new ? time : -1);
  if (!is_new) return;
  self->reported_time = time;
  g_signal_emit(self, signals[PAINTED], 0);
}

static gboolean blink_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  (void)data;
  PmPreviewView *self = PM_PREVIEW_VIEW(widget);
  gint64 now = gdk_frame_clock_get_frame_time(clock);
  if (self->blink_start < 0) self->blink_start = now;
  gint64 elapsed = now - self->blink_start;
  self->blink_opacity = elapsed < BLINK_DARK ? 1.0 : 1.0 - (double)(elapsed - BLINK_DARK) / BLINK_FADE;
  gtk_widget_queue_draw(widget);
  if (self->blink_opacity > 0) return G_SOURCE_CONTINUE;
  self->blink_opacity = 0;
  self->blink_start = 0;
  self->blink_tick = 0;
  return G_SOURCE_REMOVE;
}

void pm_preview_view_settle(PmPreviewView *self) {
  if (self->screen) pm_screen_watch_settle(self->screen);
}

void pm_preview_view_blink(PmPreviewView *self) {
  self->blink_start = -1;
  if (self->blink_tick == 0) {
    self->blink_tick = gtk_widget_add_tick_callback(GTK_WIDGET(self), blink_tick, NULL, NULL);
  }
}

static void pm_preview_view_realize(GtkWidget *widget) {
  PmPreviewView *self = PM_PREVIEW_VIEW(widget);
  GTK_WIDGET_CLASS(pm_preview_view_parent_class)->realize(widget);
  self->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
  self->after_paint = g_signal_connect(self->clock, "after-paint", G_CALLBACK(after_paint), self);
  self->screen = pm_screen_watch_new(widget, frame_is_on_screen, self);
#if GTK_CHECK_VERSION(4, 12, 0)
  // Changes that the whole number of `scale-factor` hides.
  self->scale_changed = g_signal_connect_swapped(
      gtk_native_get_surface(gtk_widget_get_native(widget)), "notify::scale", G_CALLBACK(report_size), self);
#endif
}

static void pm_preview_view_unrealize(GtkWidget *widget) {
  PmPreviewView *self = PM_PREVIEW_VIEW(widget);
#if GTK_CHECK_VERSION(4, 12, 0)
  g_clear_signal_handler(&self->scale_changed, gtk_native_get_surface(gtk_widget_get_native(widget)));
#endif
  g_clear_signal_handler(&self->after_paint, self->clock);
  g_clear_object(&self->clock);
  g_clear_pointer(&self->screen, pm_screen_watch_free);
  GTK_WIDGET_CLASS(pm_preview_view_parent_class)->unrealize(widget);
}

static void pm_preview_view_map(GtkWidget *widget) {
  GTK_WIDGET_CLASS(pm_preview_view_parent_class)->map(widget);
  report_size(PM_PREVIEW_VIEW(widget));
}

static void pm_preview_view_unmap(GtkWidget *widget) {
  PmPreviewView *self = PM_PREVIEW_VIEW(widget);
  GTK_WIDGET_CLASS(pm_preview_view_parent_class)->unmap(widget);
  self->painted_time = -1;
  self->blink_opacity = 0;
  report_size(self);
}

static void pm_preview_view_size_allocate(GtkWidget *widget, int width, int height, int baseline) {
  GTK_WIDGET_CLASS(pm_preview_view_parent_class)->size_allocate(widget, width, height, baseline);
  report_size(PM_PREVIEW_VIEW(widget));
}

static void pm_preview_view_measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
  (void)widget, (void)for_size, (void)minimum_baseline, (void)natural_baseline;
  // The view takes the space it is given; a small window must remain possible.
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 240 : 160;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 640 : 480;
}

static void pm_preview_view_dispose(GObject *object) {
  PmPreviewView *self = PM_PREVIEW_VIEW(object);
  if (self->paintable) g_signal_handlers_disconnect_by_data(self->paintable, self);
  g_clear_object(&self->paintable);
  G_OBJECT_CLASS(pm_preview_view_parent_class)->dispose(object);
}

static void pm_preview_view_class_init(PmPreviewViewClass *class) {
  GObjectClass *object_class = G_OBJECT_CLASS(class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  object_class->dispose = pm_preview_view_dispose;
  widget_class->snapshot = pm_preview_view_snapshot;
  widget_class->measure = pm_preview_view_measure;
  widget_class->size_allocate = pm_preview_view_size_allocate;
  widget_class->realize = pm_preview_view_realize;
  widget_class->unrealize = pm_preview_view_unrealize;
  widget_class->map = pm_preview_view_map;
  widget_class->unmap = pm_preview_view_unmap;
  gtk_widget_class_set_css_name(widget_class, "viewfinder");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  signals[RESIZED] = g_signal_new(
      "resized", PM_TYPE_PREVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);
  signals[PAINTED] = g_signal_new(
      "painted", PM_TYPE_PREVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SHOWN] = g_signal_new(
      "shown", PM_TYPE_PREVIEW_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_INT64,
      G_TYPE_INT64);
}

static void pm_preview_view_init(PmPreviewView *self) {
  self->zoom = 1;
  self->center_x = self->center_y = 0.5;
  self->painted_time = -1;
  self->reported_time = -1;
  self->paintable = pm_preview_paintable_new();
  g_signal_connect_swapped(self->paintable, "invalidate-contents", G_CALLBACK(gtk_widget_queue_draw), self);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(report_size), NULL);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *pm_preview_view_new(void) { return g_object_new(PM_TYPE_PREVIEW_VIEW, NULL); }

PmPreviewPaintable *pm_preview_view_get_paintable(PmPreviewView *self) { return self->paintable; }

void pm_preview_view_set_dimmed(PmPreviewView *self, gboolean is_dimmed) {
  if (is_dimmed == self->is_dimmed) return;
  self->is_dimmed = is_dimmed;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void pm_preview_view_set_zoom(PmPreviewView *self, double scale, double center_x, double center_y) {
  if (scale == self->zoom && center_x == self->center_x && center_y == self->center_y) return;
  self->zoom = scale;
  self->center_x = center_x;
  self->center_y = center_y;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

gboolean pm_preview_view_get_picture_rect(PmPreviewView *self, graphene_rect_t *rect) {
  if (!pm_preview_paintable_has_frame(self->paintable)) return FALSE;
  place_frame(self, rect);
  return TRUE;
}

void pm_preview_view_ensure_type(void) { g_type_ensure(PM_TYPE_PREVIEW_VIEW); }
