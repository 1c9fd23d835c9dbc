// GTK functions that are macros or variadic in C, and helpers for textures, event times and file lists.

#include "PmWidgets.h"

#include <dlfcn.h>

void pm_set_accessible_label(GtkWidget *widget, const char *label) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

// The description of a widget, which GTK can't be asked for.
#define DESCRIPTION "pm-description"
// Set while an announcement takes the description's place.
#define ANNOUNCEMENT "pm-announcement"

static void describe(GtkWidget *widget, const char *description) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void pm_set_accessible_description(GtkWidget *widget, const char *description) {
  g_object_set_data_full(G_OBJECT(widget), DESCRIPTION, g_strdup(description), g_free);
  describe(widget, description);
}

void pm_set_accessible_value_text(GtkWidget *widget, const char *text) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

/// The focus has left a widget: its own description comes back.
static void focus_changed(GtkWidget *widget, GParamSpec *property, gpointer data) {
  (void)property;
  (void)data;
  if (gtk_widget_has_focus(widget) || !g_object_get_data(G_OBJECT(widget), ANNOUNCEMENT)) return;
  g_object_set_data(G_OBJECT(widget), ANNOUNCEMENT, NULL);
  g_signal_handlers_disconnect_by_func(widget, focus_changed, NULL);
  const char *description = g_object_get_data(G_OBJECT(widget), DESCRIPTION);
  if (!description) description = gtk_widget_get_tooltip_text(widget);
  if (description) {
    describe(widget, description);
  } else {
    gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  }
}

static GtkWindow *active_window(void) {
  GListModel *windows = gtk_window_get_toplevels();
  for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
    GtkWindow *window = g_list_model_get_item(windows, i);
    g_object_unref(window);
    if (gtk_window_is_active(window)) return window;
  }
  return NULL;
}

void pm_announce(const char *text) {
  GtkWindow *window = active_window();
  if (!window) return;
  // gtk_accessible_announce of GTK 4.14, also in a program that was built with an older one.
  static void (*announce)(GtkAccessible *, const char *, int);
  static gsize is_known;
  if (g_once_init_enter(&is_known)) {
    *(void **)&announce = dlsym(RTLD_DEFAULT, "gtk_accessible_announce");
    g_once_init_leave(&is_known, 1);
  }
  // GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM
  if (announce) return announce(GTK_ACCESSIBLE(window), text, 1);
  GtkWidget *focus = gtk_root_get_focus(GTK_ROOT(window));
  if (!focus || !gtk_widget_has_focus(focus)) return;
  if (!g_object_get_data(G_OBJECT(focus), ANNOUNCEMENT)) {
    g_object_set_data(G_OBJECT(focus), ANNOUNCEMENT, GINT_TO_POINTER(TRUE));
    g_signal_connect(focus, "notify::has-focus", G_CALLBACK(focus_changed), NULL);
  }
  // The same text again would be no change.
  gtk_accessible_reset_property(GTK_ACCESSIBLE(focus), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  describe(focus, text);
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

void pm_append_pill(GtkSnapshot *snapshot, const graphene_rect_t *place, const GdkRGBA *color) {
  GskRoundedRect shape;
  gsk_rounded_rect_init_from_rect(&shape, place, place->size.height / 2);
  gtk_snapshot_push_rounded_clip(snapshot, &shape);
  gtk_snapshot_append_color(snapshot, color, place);
  gtk_snapshot_pop(snapshot);
}
