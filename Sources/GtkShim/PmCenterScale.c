// A slider whose value is a deviation from its middle.

#include "PmCenterScale.h"

#include "PmWidgets.h"

struct _PmCenterScale {
  GtkScale parent_instance;
};

G_DEFINE_TYPE(PmCenterScale, pm_center_scale, GTK_TYPE_SCALE)

static GtkWidget *_Nullable child_named(GtkWidget *widget, const char *name) {
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
    if (g_str_equal(gtk_widget_get_css_name(child), name)) return child;
  }
  return NULL;
}

// Under the slider: the style sheet leaves the trough of `centered` scales transparent.
static void pm_center_scale_snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  GtkWidget *trough = child_named(widget, "trough");
  GtkWidget *slider = trough ? child_named(trough, "slider") : NULL;
  graphene_rect_t bar, knob;
  if (slider && gtk_widget_compute_bounds(trough, widget, &bar) && gtk_widget_compute_bounds(slider, widget, &knob)) {
    GtkStyleContext *style = gtk_widget_get_style_context(widget);
    GdkRGBA empty, filled = {0.5f, 0.5f, 0.5f, 1};
    gtk_style_context_get_color(style, &empty);
    empty.alpha *= 0.15f;
    gtk_style_context_lookup_color(style, "accent_bg_color", &filled);
    pm_append_pill(snapshot, &bar, &empty);
    GtkAdjustment *adjustment = gtk_range_get_adjustment(GTK_RANGE(widget));
    double lower = gtk_adjustment_get_lower(adjustment), upper = gtk_adjustment_get_upper(adjustment);
    if (upper > lower) {
      double part = -lower / (upper - lower);
      if (gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL) part = 1 - part;
      float zero = bar.origin.x + bar.size.width * (float)part, value = knob.origin.x + knob.size.width / 2;
      bar.origin.x = MIN(zero, value);
      bar.size.width = MAX(zero, value) - bar.origin.x;
      if (bar.size.width > 1) pm_append_pill(snapshot, &bar, &filled);
    }
  }
  GTK_WIDGET_CLASS(pm_center_scale_parent_class)->snapshot(widget, snapshot);
}

static void pm_center_scale_class_init(PmCenterScaleClass *class) {
  GTK_WIDGET_CLASS(class)->snapshot = pm_center_scale_snapshot;
}

static void pm_center_scale_init(PmCenterScale *self) {
  gtk_scale_set_draw_value(GTK_SCALE(self), FALSE);
  gtk_scale_set_has_origin(GTK_SCALE(self), FALSE);
  gtk_widget_add_css_class(GTK_WIDGET(self), "centered");
}

GtkWidget *pm_center_scale_new(double min, double max, double step) {
  GtkAdjustment *adjustment = gtk_adjustment_new(min, min, max, step, 10 * step, 0);
  return g_object_new(PM_TYPE_CENTER_SCALE, "adjustment", adjustment, NULL);
}

void pm_center_scale_ensure_type(void) { g_type_ensure(PM_TYPE_CENTER_SCALE); }
