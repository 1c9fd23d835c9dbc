// The desktop's camera portal, by GDBus alone: libportal would be a dependency more for two calls. Everything runs on the
// main thread, in callbacks of the main context.

#include "PmCameraPortal.h"

#include <gio/gunixfdlist.h>

#define PORTAL "org.freedesktop.portal.Desktop"
#define PORTAL_PATH "/org/freedesktop/portal/desktop"
#define CAMERA "org.freedesktop.portal.Camera"
#define REQUEST "org.freedesktop.portal.Request"
#define DAEMON "org.freedesktop.DBus"

/// In milliseconds. The portal answers at once, and waits for PipeWire for some seconds at most.
#define PATIENCE 10000

struct _PmCameraQuestion {
  /// The owner, and each call that is under way.
  int references;
  gboolean is_over;
  /// Whether that was without an answer.
  gboolean is_ended;
  /// The path of the request, before it is made as after.
  char *path;
  /// Whether the portal has made the request.
  gboolean is_asked;
  GDBusConnection *bus;
  guint response, end_of_portal;
  PmCameraAnswer answer;
  void *data;
  void (*release)(void *data);
};

/// The state for an error of a call.
static PmCameraState state_of(const GError *error) {
  char *name = g_dbus_error_get_remote_error(error);
  gboolean is_refusal = g_strcmp0(name, "org.freedesktop.portal.Error.NotAllowed") == 0;
  g_free(name);
  if (is_refusal || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)) return PM_CAMERA_REFUSED;
  if (error->domain != G_DBUS_ERROR) return PM_CAMERA_FAILED;
  switch (error->code) {
    case G_DBUS_ERROR_SERVICE_UNKNOWN:
    case G_DBUS_ERROR_NAME_HAS_NO_OWNER:
    case G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND:
    case G_DBUS_ERROR_SPAWN_FAILED:
    case G_DBUS_ERROR_SPAWN_CHILD_EXITED:
    case G_DBUS_ERROR_SPAWN_CHILD_SIGNALED:
    case G_DBUS_ERROR_SPAWN_EXEC_FAILED:
      return PM_CAMERA_NO_PORTAL;
    case G_DBUS_ERROR_UNKNOWN_METHOD:
    case G_DBUS_ERROR_UNKNOWN_INTERFACE:
    case G_DBUS_ERROR_UNKNOWN_OBJECT:
      return PM_CAMERA_NO_CAMERAS;
    default:
      return PM_CAMERA_FAILED;
  }
}

/// The bus of a finished `g_bus_get`; `NULL` with an error.
static GDBusConnection *bus_of(GAsyncResult *result, GError **error) {
  GDBusConnection *bus = g_bus_get_finish(result, error);
  // Else GIO ends the program together with the bus.
  if (bus) g_dbus_connection_set_exit_on_close(bus, FALSE);
  return bus;
}

// MARK: The question

static PmCameraQuestion *retain(PmCameraQuestion *self) {
  self->references++;
  return self;
}

static void drop(PmCameraQuestion *self) {
  if (--self->references > 0) return;
  self->release(self->data);
  g_clear_object(&self->bus);
  g_free(self->path);
  g_free(self);
}

static void unsubscribe(PmCameraQuestion *self) {
  if (self->response) g_dbus_connection_signal_unsubscribe(self->bus, self->response);
  if (self->end_of_portal) g_dbus_connection_signal_unsubscribe(self->bus, self->end_of_portal);
  self->response = self->end_of_portal = 0;
}

/// Ends the question with an answer; only the first one counts.
static void answer(PmCameraQuestion *self, PmCameraState state, const char *message) {
  if (self->is_over) return;
  self->is_over = TRUE;
  unsubscribe(self);
  self->answer(state, message, self->data);
}

/// Takes over the error.
static void fail(PmCameraQuestion *self, GError *error) {
  PmCameraState state = state_of(error);
  g_dbus_error_strip_remote_error(error);
  answer(self, state, error->message);
  g_error_free(error);
}

static void handle_response(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                            const char *signal, GVariant *parameters, gpointer data) {
  guint32 response = 2;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})"))) {
    return answer(data, PM_CAMERA_FAILED, "its answer can’t be understood");
  }
  g_variant_get(parameters, "(ua{sv})", &response, NULL);
  switch (response) {
    case 0: return answer(data, PM_CAMERA_GRANTED, NULL);
    case 1: return answer(data, PM_CAMERA_REFUSED, NULL);
    default: return answer(data, PM_CAMERA_CLOSED, NULL);
  }
}

/// A portal that ends takes its questions along and says nothing.
static void handle_owner(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                         const char *signal, GVariant *parameters, gpointer data) {
  const char *owner = NULL;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sss)"))) return;
  g_variant_get(parameters, "(&s&s&s)", NULL, NULL, &owner);
  if (*owner == '\0') answer(data, PM_CAMERA_CLOSED, NULL);
}

static void listen_to_request(PmCameraQuestion *self) {
  self->response = g_dbus_connection_signal_subscribe(self->bus, PORTAL, REQUEST, "Response", self->path, NULL,
                                                      G_DBUS_SIGNAL_FLAGS_NONE, handle_response, self, NULL);
}

/// Takes the dialog from the screen.
static void close_request(PmCameraQuestion *self) {
  g_dbus_connection_call(self->bus, PORTAL, self->path, REQUEST, "Close", NULL, NULL,
                         G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

static void handle_asked(GObject *source, GAsyncResult *result, gpointer data) {
  PmCameraQuestion *self = data;
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_finish(self->bus, result, &error);
  if (reply) {
    const char *path = NULL;
    g_variant_get(reply, "(&o)", &path);
    self->is_asked = TRUE;
    if (g_strcmp0(path, self->path) != 0) {
      // Portals before 0.9 choose the path themselves.
      g_free(self->path);
      self->path = g_strdup(path);
      if (!self->is_over) {
        g_dbus_connection_signal_unsubscribe(self->bus, self->response);
        listen_to_request(self);
      }
    }
    // Ended while it was being asked.
    if (self->is_ended) close_request(self);
    g_variant_unref(reply);
  } else {
    fail(self, error);
  }
  drop(self);
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  PmCameraQuestion *self = data;
  GError *error = NULL;
  self->bus = bus_of(result, &error);
  if (!self->bus) {
    answer(self, PM_CAMERA_NO_PORTAL, error->message);
    g_error_free(error);
  } else if (!self->is_over) {
    // The request's path follows from the name of the caller, so that the answer can't come before it is listened to.
    static guint number = 0;
    char *token = g_strdup_printf("photome_camera_%u", ++number);
    char *sender = g_strdelimit(g_strdup(g_dbus_connection_get_unique_name(self->bus) + 1), ".", '_');
    self->path = g_strdup_printf(PORTAL_PATH "/request/%s/%s", sender, token);
    listen_to_request(self);
    self->end_of_portal = g_dbus_connection_signal_subscribe(
        self->bus, DAEMON, DAEMON, "NameOwnerChanged", "/org/freedesktop/DBus", PORTAL, G_DBUS_SIGNAL_FLAGS_NONE,
        handle_owner, self, NULL);
    GVariantBuilder options;
    g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&options, "{sv}", "handle_token", g_variant_new_string(token));
    // Never canceled: what is to be closed then is known when the reply is there.
    g_dbus_connection_call(self->bus, PORTAL, PORTAL_PATH, CAMERA, "AccessCamera", g_variant_new("(a{sv})", &options),
                           G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, PATIENCE, NULL, handle_asked, retain(self));
    g_free(token);
    g_free(sender);
  }
  drop(self);
}

PmCameraQuestion *pm_camera_question_ask(PmCameraAnswer answer, void *data, void (*release)(void *data)) {
  PmCameraQuestion *self = g_new0(PmCameraQuestion, 1);
  self->references = 1;
  self->answer = answer;
  self->data = data;
  self->release = release;
  g_bus_get(G_BUS_TYPE_SESSION, NULL, handle_bus, retain(self));
  return self;
}

void pm_camera_question_end(PmCameraQuestion *self) {
  if (!self->is_over) {
    self->is_over = self->is_ended = TRUE;
    unsubscribe(self);
    if (self->is_asked) close_request(self);
  }
  drop(self);
}

// MARK: The connection

typedef struct {
  PmCameraRemote opened;
  void *data;
} Opening;

static void finish(Opening *opening, PmCameraState state, int descriptor, const char *message) {
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
    finish(data, PM_CAMERA_GRANTED, descriptor, NULL);
  } else if (error) {
    PmCameraState state = state_of(error);
    g_dbus_error_strip_remote_error(error);
    finish(data, state, -1, error->message);
  } else {
    finish(data, PM_CAMERA_FAILED, -1, "its answer lacks the connection");
  }
  g_clear_error(&error);
  g_clear_object(&list);
}

static void handle_remote_bus(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GDBusConnection *bus = bus_of(result, &error);
  if (!bus) {
    finish(data, PM_CAMERA_NO_PORTAL, -1, error->message);
    g_error_free(error);
    return;
  }
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
  g_dbus_connection_call_with_unix_fd_list(bus, PORTAL, PORTAL_PATH, CAMERA, "OpenPipeWireRemote",
                                           g_variant_new("(a{sv})", &options), G_VARIANT_TYPE("(h)"),
                                           G_DBUS_CALL_FLAGS_NONE, PATIENCE, NULL, NULL, handle_remote, data);
  g_object_unref(bus);
}

void pm_camera_remote_open(PmCameraRemote opened, void *data) {
  Opening *opening = g_new0(Opening, 1);
  opening->opened = opened;
  opening->data = data;
  g_bus_get(G_BUS_TYPE_SESSION, NULL, handle_remote_bus, opening);
}
