// Work that goes on without a window, as the desktop's portal is told of it.

#include "PmPortalBackground.h"

#define BACKGROUND "org.freedesktop.portal.Background"

PmPortalRequest *pm_portal_request_background(const char *reason, PmPortalAnswer answer, void *data,
                                              void (*release)(void *data)) {
  GVariantDict options;
  g_variant_dict_init(&options, NULL);
  g_variant_dict_insert(&options, "reason", "s", reason);
  PmPortalCall call = {
      .interface = BACKGROUND,
      .method = "RequestBackground",
      .name = "work",
      .has_parent = TRUE,
      .options = g_variant_dict_end(&options),
  };
  return pm_portal_request_make(call, answer, data, release);
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  char *text = data;
  GError *error = NULL;
  GDBusConnection *bus = pm_portal_bus_of(result, &error);
  // The request, which is made as well, says what is missing.
  g_clear_error(&error);
  if (bus) {
    GVariantDict options;
    g_variant_dict_init(&options, NULL);
    g_variant_dict_insert(&options, "message", "s", text);
    g_dbus_connection_call(bus, PM_PORTAL, PM_PORTAL_PATH, BACKGROUND, "SetStatus",
                           g_variant_new("(@a{sv})", g_variant_dict_end(&options)), NULL,
                           G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
    g_object_unref(bus);
  }
  g_free(text);
}

void pm_portal_set_background_status(const char *text) {
  g_bus_get(G_BUS_TYPE_SESSION, NULL, handle_bus, g_strdup(text));
}
