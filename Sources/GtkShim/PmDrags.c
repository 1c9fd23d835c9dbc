// Drags between parts of the window: GDK types of our own, so that each drop target accepts only what belongs there.

#include "PmDrags.h"

static gpointer copy_text(gpointer text) { return g_strdup(text); }

GType pm_dragged_pictures_get_type(void) {
  static GType type;
  if (!type) type = g_boxed_type_register_static("PmDraggedPictures", copy_text, g_free);
  return type;
}

GType pm_dragged_collection_get_type(void) {
  static GType type;
  if (!type) type = g_boxed_type_register_static("PmDraggedCollection", copy_text, g_free);
  return type;
}

GdkContentProvider *pm_content_for_drag(GType type, const char *text, GdkContentProvider *outward) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, type);
  g_value_set_boxed(&value, text);
  GdkContentProvider *inward = gdk_content_provider_new_for_value(&value);
  g_value_unset(&value);
  if (!outward) return inward;
  GdkContentProvider *both[] = {inward, outward};
  return gdk_content_provider_new_union(both, G_N_ELEMENTS(both));
}

const char *pm_dragged_text(const GValue *value) { return g_value_get_boxed(value); }
