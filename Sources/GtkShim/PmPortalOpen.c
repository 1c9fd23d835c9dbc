// Files in other programs and in the file manager, through the desktop's portal. Everything runs on the main thread.

#include "PmPortalOpen.h"

#include <errno.h>
#include <fcntl.h>
#include <gdk/wayland/gdkwayland.h>
#include <gdk/x11/gdkx.h>
#include <gio/gunixfdlist.h>
#include <unistd.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define OPEN_URI "org.freedesktop.portal.OpenURI"

/// In milliseconds. The portal answers before its dialog is.
#define PATIENCE 10000

typedef struct {
  int descriptor;
  PmPortalOpening opening;
  PmPortalOpened opened;
  void *data;
  /// Where the compositor lends out a handle of its window; withdrawn afterward.
  GdkToplevel *exported;
} Opening;

/// Takes over the error, which may be `NULL`.
static void finish(Opening *self, GError *error) {
  if (error) g_dbus_error_strip_remote_error(error);
  self->opened(error ? error->message : NULL, self->data);
  g_clear_error(&error);
  if (self->exported) {
    gdk_wayland_toplevel_unexport_handle(self->exported);
    g_object_unref(self->exported);
  }
  if (self->descriptor >= 0) close(self->descriptor);
  g_free(self);
}

static void handle_opened(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GVariant *reply =
      g_dbus_connection_call_with_unix_fd_list_finish(G_DBUS_CONNECTION(source), NULL, result, &error);
  if (reply) g_variant_unref(reply);
  finish(data, error);
}

static void open_over(Opening *self, const char *parent) {
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
  if (!bus) return finish(self, error);
  GUnixFDList *list = g_unix_fd_list_new();
  gint index = g_unix_fd_list_append(list, self->descriptor, &error);
  if (index >= 0) {
    GVariantBuilder options;
    g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
    if (self->opening != PM_PORTAL_SHOW) {
      g_variant_builder_add(&options, "{sv}", "ask", g_variant_new_boolean(self->opening == PM_PORTAL_OPEN_WITH));
    }
    g_dbus_connection_call_with_unix_fd_list(
        bus, PORTAL, PORTAL_PATH, OPEN_URI, self->opening == PM_PORTAL_SHOW ? "OpenDirectory" : "OpenFile",
        g_variant_new("(sha{sv})", parent, index, &options), G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, PATIENCE,
        list, NULL, handle_opened, self);
  } else {
    finish(self, error);
  }
  g_object_unref(list);
  g_object_unref(bus);
}

static void handle_exported(GdkToplevel *toplevel, const char *handle, gpointer data) {
  Opening *self = data;
  self->exported = g_object_ref(toplevel);
  char *parent = g_strdup_printf("wayland:%s", handle);
  open_over(self, parent);
  g_free(parent);
}

void pm_portal_open(GtkWindow *window, const char *path, PmPortalOpening opening, PmPortalOpened opened, void *data) {
  Opening *self = g_new0(Opening, 1);
  self->opening = opening;
  self->opened = opened;
  self->data = data;
  self->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (self->descriptor < 0) {
    return finish(self, g_error_new_literal(G_IO_ERROR, G_IO_ERROR_FAILED, g_strerror(errno)));
  }
  GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
  if (GDK_IS_X11_SURFACE(surface)) {
    char *parent = g_strdup_printf("x11:%lx", (unsigned long)gdk_x11_surface_get_xid(surface));
    open_over(self, parent);
    g_free(parent);
  } else if (!GDK_IS_WAYLAND_TOPLEVEL(surface) ||
             !gdk_wayland_toplevel_export_handle(GDK_TOPLEVEL(surface), handle_exported, self, NULL)) {
    open_over(self, "");
  }
}
