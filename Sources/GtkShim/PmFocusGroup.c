// A box that is a single stop for Tab, around a list or a row of toggle buttons.

#include "PmFocusGroup.h"

struct _PmFocusGroup {
  GtkBox parent_instance;
};

G_DEFINE_TYPE(PmFocusGroup, pm_focus_group, GTK_TYPE_BOX)

static guint entering;

/// The pressed toggle button among a widget's descendants that can have the focus.
static GtkWidget *pressed_button(GtkWidget *widget) {
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
    if (!gtk_widget_get_visible(child) || !gtk_widget_get_sensitive(child)) continue;
    if (GTK_IS_TOGGLE_BUTTON(child) && gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(child))) return child;
    GtkWidget *found = pressed_button(child);
    if (found) return found;
  }
  return NULL;
}

static gboolean focus(GtkWidget *widget, GtkDirectionType direction) {
  GtkRoot *root = gtk_widget_get_root(widget);
  GtkWidget *present = root ? gtk_root_get_focus(root) : NULL;
  gboolean is_inside = present && gtk_widget_is_ancestor(present, widget);
  gboolean is_tab = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;
  gboolean is_row = gtk_orientable_get_orientation(GTK_ORIENTABLE(widget)) == GTK_ORIENTATION_HORIZONTAL;
  gboolean is_across = direction == GTK_DIR_UP || direction == GTK_DIR_DOWN;
  if (is_inside && (is_tab || (is_row && is_across))) return FALSE;
  if (!is_inside) {
    gboolean has_entered = FALSE;
    g_signal_emit(widget, entering, 0, &has_entered);
    if (has_entered) return TRUE;
    GtkWidget *button = pressed_button(widget);
    if (button && gtk_widget_grab_focus(button)) return TRUE;
  }
  gboolean has_moved = GTK_WIDGET_CLASS(pm_focus_group_parent_class)->focus(widget, direction);
  // At the end of a row the focus stays: what lies beside the row has another subject.
  return has_moved || (is_inside && is_row);
}

static void pm_focus_group_class_init(PmFocusGroupClass *class) {
  GTK_WIDGET_CLASS(class)->focus = focus;
  entering = g_signal_new(
      "entering", PM_TYPE_FOCUS_GROUP, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL, NULL,
      G_TYPE_BOOLEAN, 0);
}

static void pm_focus_group_init(PmFocusGroup *self) {
  (void)self;
}

void pm_focus_group_ensure_type(void) {
  g_type_ensure(PM_TYPE_FOCUS_GROUP);
}
