// Delays of the machine's sleep. Everything runs on the main thread, in callbacks of the main context.

#include "PmSleepDelay.h"

#include <gio/gunixfdlist.h>

typedef struct {
  char *reason;
  PmSleepDelayTell tell;
  void *data;
} Request;

static void answer(Request *request, int descriptor) {
  request->tell(descriptor, request->data);
  g_free(request->reason);
  g_free(request);
}

static void handle_delay(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GUnixFDList *list = NULL;
  int descriptor = -1;
  GVariant *reply =
      g_dbus_connection_call_with_unix_fd_list_finish(G_DBUS_CONNECTION(source), &list, result, &error);
  if (reply) {
    gint32 index = -1;
    g_variant_get(reply, "(h)", &index);
    // A copy that the caller owns; -1 for an index out of range.
    if (list && index >= 0 && index < g_unix_fd_list_get_length(list)) {
      descriptor = g_unix_fd_list_get(list, index, NULL);
    }
    g_variant_unref(reply);
  }
  g_clear_object(&list);
  g_clear_error(&error);
  answer(data, descriptor);
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  GDBusConnection *bus = g_bus_get_finish(result, NULL);
  Request *request = data;
  if (!bus) {
    answer(request, -1);
    return;
  }
  // Else GIO ends the program together with the bus.
  g_dbus_connection_set_exit_on_close(bus, FALSE);
  g_dbus_connection_call_with_unix_fd_list(
      bus, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "Inhibit",
      g_variant_new("(ssss)", "sleep", "PhotoMe", request->reason, "delay"), G_VARIANT_TYPE("(h)"),
      G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, handle_delay, request);
  g_object_unref(bus);
}

void pm_sleep_delay_ask(const char *reason, PmSleepDelayTell tell, void *data) {
  Request *request = g_new0(Request, 1);
  request->reason = g_strdup(reason);
  request->tell = tell;
  request->data = data;
  g_bus_get(G_BUS_TYPE_SYSTEM, NULL, handle_bus, request);
}
