// GTK functions that are macros or variadic in C, and helpers for textures, event times and file lists.

#include "PmWidgets.h"

void pm_set_accessible_label(GtkWidget *widget, const char *label) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void pm_set_accessible_description(GtkWidget *widget, const char *description) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void pm_announce(GtkWidget *widget, const char *text) {
#if GTK_CHECK_VERSION(4, 14, 0)
  gtk_accessible_announce(GTK_ACCESSIBLE(widget), text, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
#else
  pm_set_accessible_label(widget, text);
#endif
}

GdkTexture *pm_texture_new_from_bgrx(const void *pixels, int width, int height, int stride) {
  gsize row = (gsize)width * 3;
  guchar *copy = g_malloc(row * (gsize)height);
  for (int y = 0; y < height; y++) {
    const guchar *from = (const guchar *)pixels + (gsize)y * (gsize)stride;
    guchar *to = copy + (gsize)y * row;
    for (int x = 0; x < width; x++, from += 4, to += 3) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
    }
  }
  GBytes *bytes = g_bytes_new_take(copy, row * (gsize)height);
  GdkTexture *texture = gdk_memory_texture_new(width, height, GDK_MEMORY_R8G8B8, bytes, row);
  g_bytes_unref(bytes);
  return texture;
}

gint64 pm_event_time_to_monotonic(guint32 event_time) {
  static gint64 last;
  gint64 now = g_get_monotonic_time();
  // Unsigned subtraction stays correct when the counters wrap.
  guint32 age = (guint32)(now / 1000) - event_time;
  gboolean is_none = event_time == GDK_CURRENT_TIME || age > 1000;
  gint64 time = is_none ? now * 1000 : (now / 1000 - age) * 1000000;
  if (time <= last && time / 1000000 == last / 1000000) time = last + 1;
  last = MAX(last, time);
  return time;
}

GdkContentProvider *pm_content_for_files(const char *const *paths, GdkTexture *picture) {
  GSList *files = NULL;
  GString *list = g_string_new("copy");
  for (const char *const *path = paths; *path; path++) {
    GFile *file = g_file_new_for_path(*path);
    char *uri = g_file_get_uri(file);
    g_string_append_printf(list, "\n%s", uri);
    g_free(uri);
    files = g_slist_prepend(files, file);
  }
  files = g_slist_reverse(files);
  GBytes *bytes = g_string_free_to_bytes(list);
  GdkContentProvider *providers[3];
  gsize count = 0;
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed(&value, gdk_file_list_new_from_list(files));
  providers[count++] = gdk_content_provider_new_for_value(&value);
  g_value_unset(&value);
  providers[count++] = gdk_content_provider_new_for_bytes("x-special/gnome-copied-files", bytes);
  if (picture) {
    g_value_init(&value, GDK_TYPE_TEXTURE);
    g_value_set_object(&value, picture);
    providers[count++] = gdk_content_provider_new_for_value(&value);
    g_value_unset(&value);
  }
  g_bytes_unref(bytes);
  g_slist_free_full(files, g_object_unref);
  return gdk_content_provider_new_union(providers, count);
}
