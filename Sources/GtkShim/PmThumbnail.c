// A cell of the library's grid as a single widget that paints everything itself.

#include "PmThumbnail.h"

#include "PmFrameWork.h"
#include "PmWidgets.h"

// The sizes of the marks and their margins, in pixels.
#define MARK 16
#define MARGIN 6
#define RING 22
#define BROKEN 32
#define SHADE 36
#define PROGRESS 36

struct _PmThumbnail {
  GtkWidget parent_instance;
  int side;
  PmThumbnailMarks marks;
  /// Negative without a ring.
  double progress;
  GdkTexture *_Nullable texture;
  PangoLayout *_Nullable day;
  PangoLayout *_Nullable length;
};

G_DEFINE_TYPE(PmThumbnail, pm_thumbnail, GTK_TYPE_WIDGET)

static const GdkRGBA white = {1, 1, 1, 1};

static void draw_icon(
    PmThumbnail *self, GtkSnapshot *snapshot, const char *name, float x, float y, int size, const GdkRGBA *color) {
  GtkWidget *widget = GTK_WIDGET(self);
  GtkIconTheme *theme = gtk_icon_theme_get_for_display(gtk_widget_get_display(widget));
  // The theme caches recent lookups.
  GtkIconPaintable *icon = gtk_icon_theme_lookup_icon(
      theme, name, NULL, size, gtk_widget_get_scale_factor(widget), GTK_TEXT_DIR_NONE, 0);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, y));
  const GdkRGBA colors[] = {*color, *color, *color, *color};
  gtk_symbolic_paintable_snapshot_symbolic(GTK_SYMBOLIC_PAINTABLE(icon), snapshot, size, size, colors, 4);
  gtk_snapshot_restore(snapshot);
  g_object_unref(icon);
}

static void draw_text(GtkSnapshot *snapshot, PangoLayout *layout, float x, float y) {
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, y));
  gtk_snapshot_append_layout(snapshot, layout, &white);
  gtk_snapshot_restore(snapshot);
}

static void draw_picture(PmThumbnail *self, GtkSnapshot *snapshot, float width, float height) {
  float own_width = (float)gdk_texture_get_width(self->texture);
  float own_height = (float)gdk_texture_get_height(self->texture);
  float zoom = MAX(width / own_width, height / own_height);
  graphene_rect_t place = GRAPHENE_RECT_INIT(
      (width - own_width * zoom) / 2, (height - own_height * zoom) / 2, own_width * zoom, own_height * zoom);
  gtk_snapshot_append_texture(snapshot, self->texture, &place);
}

static void draw_bottom(PmThumbnail *self, GtkSnapshot *snapshot, float width, float height) {
  const GskColorStop shade[] = {{0, {0, 0, 0, 0}}, {1, {0, 0, 0, 0.6f}}};
  gtk_snapshot_append_linear_gradient(
      snapshot, &GRAPHENE_RECT_INIT(0, height - SHADE, width, SHADE), &GRAPHENE_POINT_INIT(0, height - SHADE),
      &GRAPHENE_POINT_INIT(0, height), shade, G_N_ELEMENTS(shade));
  float x = MARGIN, y = height - MARGIN - MARK;
  const struct {
    PmThumbnailMarks mark;
    const char *icon;
  } icons[] = {
      {PM_THUMBNAIL_LIVE, "photome-live-symbolic"},
      {PM_THUMBNAIL_BURST, "photome-burst-symbolic"},
      {PM_THUMBNAIL_MOVIE, "media-playback-start-symbolic"},
      {PM_THUMBNAIL_FAVORITE, "starred-symbolic"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(icons); i++) {
    if (!(self->marks & icons[i].mark)) continue;
    draw_icon(self, snapshot, icons[i].icon, x, y, MARK, &white);
    x += MARK + 4;
  }
  if (!self->length) return;
  int text_width, text_height;
  pango_layout_get_pixel_size(self->length, &text_width, &text_height);
  draw_text(
      snapshot, self->length, width - MARGIN - (float)text_width, height - MARGIN - (MARK + (float)text_height) / 2);
}

static void draw_ring(PmThumbnail *self, GtkSnapshot *snapshot, float width) {
  gboolean is_selected = (self->marks & PM_THUMBNAIL_SELECTED) != 0;
  graphene_rect_t place = GRAPHENE_RECT_INIT(width - MARGIN - RING, MARGIN, RING, RING);
  GdkRGBA fill = {0, 0, 0, 0.4f};
  if (is_selected) {
    GtkStyleContext *style = gtk_widget_get_style_context(GTK_WIDGET(self));
    gtk_style_context_lookup_color(style, "accent_bg_color", &fill);
  }
  pm_append_pill(snapshot, &place, &fill);
  GskRoundedRect ring;
  gsk_rounded_rect_init_from_rect(&ring, &place, RING / 2.0f);
  gtk_snapshot_append_border(
      snapshot, &ring, (const float[]){2, 2, 2, 2}, (const GdkRGBA[]){white, white, white, white});
  if (is_selected) {
    float inset = (RING - MARK) / 2.0f;
    draw_icon(
        self, snapshot, "object-select-symbolic", width - MARGIN - RING + inset, MARGIN + inset, MARK, &white);
  }
}

// A dark disc with a ring that fills clockwise from the top.
static void draw_progress(PmThumbnail *self, GtkSnapshot *snapshot, float width, float height) {
  graphene_rect_t place = GRAPHENE_RECT_INIT((width - PROGRESS) / 2, (height - PROGRESS) / 2, PROGRESS, PROGRESS);
  const GdkRGBA dark = {0, 0, 0, 0.6f};
  pm_append_pill(snapshot, &place, &dark);
  cairo_t *cairo = gtk_snapshot_append_cairo(snapshot, &place);
  cairo_translate(cairo, width / 2, height / 2);
  cairo_rotate(cairo, -G_PI_2);
  cairo_set_line_width(cairo, 4);
  cairo_set_source_rgba(cairo, 1, 1, 1, 0.3);
  cairo_arc(cairo, 0, 0, PROGRESS / 2.0 - 7, 0, 2 * G_PI);
  cairo_stroke(cairo);
  cairo_set_source_rgba(cairo, 1, 1, 1, 1);
  // A bit of it from the beginning, so that it is seen to be a ring.
  cairo_arc(cairo, 0, 0, PROGRESS / 2.0 - 7, 0, 2 * G_PI * CLAMP(self->progress, 0.03, 1));
  cairo_stroke(cairo);
  cairo_destroy(cairo);
}

static void pm_thumbnail_snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  pm_own_work_begin();
  PmThumbnail *self = PM_THUMBNAIL(widget);
  float width = (float)gtk_widget_get_width(widget), height = (float)gtk_widget_get_height(widget);
  if (self->texture) {
    draw_picture(self, snapshot, width, height);
  } else if (self->marks & PM_THUMBNAIL_BROKEN) {
    GdkRGBA gray = {0.5f, 0.5f, 0.5f, 1};
    if (gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), "window_fg_color", &gray)) gray.alpha *= 0.5f;
    const char *icon = self->marks & PM_THUMBNAIL_MOVIE ? "video-x-generic-symbolic" : "image-missing-symbolic";
    draw_icon(self, snapshot, icon, (width - BROKEN) / 2, (height - BROKEN) / 2, BROKEN, &gray);
  }
  if (self->marks & (PM_THUMBNAIL_LIVE | PM_THUMBNAIL_FAVORITE | PM_THUMBNAIL_MOVIE | PM_THUMBNAIL_BURST) || self->length) {
    draw_bottom(self, snapshot, width, height);
  }
  if (self->day) {
    int text_width, text_height;
    pango_layout_get_pixel_size(self->day, &text_width, &text_height);
    const GdkRGBA dark = {0, 0, 0, 0.65f};
    pm_append_pill(
        snapshot, &GRAPHENE_RECT_INIT(MARGIN, MARGIN, (float)text_width + 16, (float)text_height + 6), &dark);
    draw_text(snapshot, self->day, MARGIN + 8, MARGIN + 3);
  }
  if (self->marks & PM_THUMBNAIL_SELECTABLE) draw_ring(self, snapshot, width);
  if (self->progress >= 0) draw_progress(self, snapshot, width, height);
  pm_own_work_end();
}

static GtkSizeRequestMode pm_thumbnail_get_request_mode(GtkWidget *widget) {
  (void)widget;
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void pm_thumbnail_measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
  (void)minimum_baseline, (void)natural_baseline;
  int side = PM_THUMBNAIL(widget)->side;
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL && for_size > 0 ? MAX(for_size, side) : side;
}

static void pm_thumbnail_dispose(GObject *object) {
  PmThumbnail *self = PM_THUMBNAIL(object);
  g_clear_object(&self->texture);
  g_clear_object(&self->day);
  g_clear_object(&self->length);
  G_OBJECT_CLASS(pm_thumbnail_parent_class)->dispose(object);
}

static void pm_thumbnail_class_init(PmThumbnailClass *class) {
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = pm_thumbnail_dispose;
  widget_class->snapshot = pm_thumbnail_snapshot;
  widget_class->measure = pm_thumbnail_measure;
  widget_class->get_request_mode = pm_thumbnail_get_request_mode;
  gtk_widget_class_set_css_name(widget_class, "thumbnail");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void pm_thumbnail_init(PmThumbnail *self) {
  self->progress = -1;
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *pm_thumbnail_new(int side) {
  PmThumbnail *self = g_object_new(PM_TYPE_THUMBNAIL, NULL);
  self->side = side;
  return GTK_WIDGET(self);
}

void pm_thumbnail_set_texture(PmThumbnail *self, GdkTexture *texture) {
  if (g_set_object(&self->texture, texture)) gtk_widget_queue_draw(GTK_WIDGET(self));
}

GdkTexture *pm_thumbnail_get_texture(PmThumbnail *self) { return self->texture; }

void pm_thumbnail_set_marks(PmThumbnail *self, PmThumbnailMarks marks) {
  if (self->marks == marks) return;
  self->marks = marks;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

PmThumbnailMarks pm_thumbnail_get_marks(PmThumbnail *self) { return self->marks; }

void pm_thumbnail_set_progress(PmThumbnail *self, double fraction) {
  if (self->progress == fraction) return;
  self->progress = fraction;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void set_text(PmThumbnail *self, PangoLayout **layout, const char *text) {
  if (!text && !*layout) return;
  if (text && *layout && g_str_equal(text, pango_layout_get_text(*layout))) return;
  g_clear_object(layout);
  if (text) {
    *layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_weight_new(PANGO_WEIGHT_BOLD));
    pango_attr_list_insert(attributes, pango_attr_scale_new(0.85));
    pango_layout_set_attributes(*layout, attributes);
    pango_attr_list_unref(attributes);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void pm_thumbnail_set_texts(PmThumbnail *self, const char *day, const char *length) {
  set_text(self, &self->day, day);
  set_text(self, &self->length, length);
}
