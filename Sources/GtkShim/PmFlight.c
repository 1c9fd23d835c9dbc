// A picture that moves over other widgets, from one rectangle to another.

#include "PmFlight.h"

struct _PmFlight {
  GtkWidget parent_instance;
  GdkPaintable *paintable;
  graphene_rect_t rect;
  float radius;
};

G_DEFINE_TYPE(PmFlight, pm_flight, GTK_TYPE_WIDGET)

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  PmFlight *self = PM_FLIGHT(widget);
  if (!self->paintable) return;
  float width = self->rect.size.width, height = self->rect.size.height;
  double ratio = gdk_paintable_get_intrinsic_aspect_ratio(self->paintable);
  if (width < 1 || height < 1 || ratio <= 0) return;
  // As GTK_CONTENT_FIT_COVER, which is newer than GTK 4.8.
  double across = MAX(width, height * ratio), down = across / ratio;
  GskRoundedRect clip;
  gsk_rounded_rect_init_from_rect(&clip, &self->rect, self->radius);
  gtk_snapshot_push_rounded_clip(snapshot, &clip);
  gtk_snapshot_translate(
      snapshot, &GRAPHENE_POINT_INIT(
                    self->rect.origin.x + (width - (float)across) / 2, self->rect.origin.y + (height - (float)down) / 2));
  gdk_paintable_snapshot(self->paintable, snapshot, across, down);
  gtk_snapshot_pop(snapshot);
}

static void dispose(GObject *object) {
  g_clear_object(&PM_FLIGHT(object)->paintable);
  G_OBJECT_CLASS(pm_flight_parent_class)->dispose(object);
}

static void pm_flight_class_init(PmFlightClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  GTK_WIDGET_CLASS(class)->snapshot = snapshot;
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void pm_flight_init(PmFlight *self) {
  gtk_widget_set_can_target(GTK_WIDGET(self), FALSE);
}

void pm_flight_show(PmFlight *self, GdkPaintable *paintable, const graphene_rect_t *rect, float radius) {
  g_set_object(&self->paintable, paintable);
  self->rect = *rect;
  self->radius = radius;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void pm_flight_ensure_type(void) {
  g_type_ensure(PM_TYPE_FLIGHT);
}
