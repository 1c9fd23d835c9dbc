// The desktop's camera portal. Everything runs on the main thread, in callbacks of the main context.

#include "PmCameraPortal.h"

#define CAMERA "org.freedesktop.portal.Camera"

/// In milliseconds. The portal waits for PipeWire for some seconds at most.
#define PATIENCE 10000

PmPortalRequest *pm_camera_permission_ask(PmPortalAnswer answer, void *data, void (*release)(void *data)) {
  PmPortalCall call = {.interface = CAMERA, .method = "AccessCamera", .name = "camera"};
  return pm_portal_request_make(call, answer, data, release);
}

typedef struct {
  PmCameraRemote opened;
  void *data;
} Opening;

static void finish(Opening *opening, PmPortalState state, int descriptor, const char *message) {
  opening->opened(state, descriptor, message, opening->data);
  g_free(opening);
}

static void handle_remote(GObject *source, GAsyncResult *result, gpointer data) {
  GUnixFDList *list = NULL;
  GError *error = NULL;
  GVariant *reply =
      g_dbus_connection_call_with_unix_fd_list_finish(G_DBUS_CONNECTION(source), &list, result, &error);
  int descriptor = -1;
  if (reply) {
    gint32 index = -1;
    g_variant_get(reply, "(h)", &index);
    if (list && index >= 0 && index < g_unix_fd_list_get_length(list)) {
      descriptor = g_unix_fd_list_get(list, index, &error);
    }
    g_variant_unref(reply);
  }
  if (descriptor >= 0) {
    finish(data, PM_PORTAL_DONE, descriptor, NULL);
  } else if (error) {
    PmPortalState state = pm_portal_state_of(error);
    g_dbus_error_strip_remote_error(error);
    finish(data, state, -1, error->message);
  } else {
    // The reply lacks the connection.
    finish(data, PM_PORTAL_UNINTELLIGIBLE, -1, NULL);
  }
  g_clear_error(&error);
  g_clear_object(&list);
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GDBusConnection *bus = pm_portal_bus_of(result, &error);
  if (!bus) {
    finish(data, PM_PORTAL_MISSING, -1, error->message);
    g_error_free(error);
    return;
  }
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
  g_dbus_connection_call_with_unix_fd_list(bus, PM_PORTAL, PM_PORTAL_PATH, CAMERA, "OpenPipeWireRemote",
                                           g_variant_new("(a{sv})", &options), G_VARIANT_TYPE("(h)"),
                                           G_DBUS_CALL_FLAGS_NONE, PATIENCE, NULL, NULL, handle_remote, data);
  g_object_unref(bus);
}

void pm_camera_remote_open(PmCameraRemote opened, void *data) {
  Opening *opening = g_new0(Opening, 1);
  opening->opened = opened;
  opening->data = data;
  g_bus_get(G_BUS_TYPE_SESSION, NULL, handle_bus, opening);
}
