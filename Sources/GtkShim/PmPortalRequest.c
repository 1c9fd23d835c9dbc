// Requests to the desktop's portal, by GDBus alone: libportal would be a dependency more for a few calls. Everything runs on
// the main thread, in callbacks of the main context.

#include "PmPortalRequest.h"

#include <gdk/wayland/gdkwayland.h>
#include <gdk/x11/gdkx.h>

#define REQUEST "org.freedesktop.portal.Request"
#define DAEMON "org.freedesktop.DBus"

/// In milliseconds. The portal answers the call at once, and waits for other services for some seconds at most.
#define PATIENCE 10000

/// Set on a window whose handle a request has: GTK lends out one at a time.
#define LENT "photome-portal-handle"

struct _PmPortalRequest {
  /// The owner, and each call that is under way.
  int references;
  gboolean is_over;
  /// Whether that was without an answer.
  gboolean is_ended;
  PmPortalCall call;
  /// The path of the request, before it is made as after, and the last part of it.
  char *path, *token;
  /// Whether the portal has made the request.
  gboolean is_asked;
  GDBusConnection *bus;
  guint response, end_of_portal;
  gulong end_of_bus;
  /// Where the compositor lends out a handle of the window; withdrawn afterward.
  GdkToplevel *exported;
  PmPortalAnswer answer;
  void *data;
  void (*release)(void *data);
};

PmPortalState pm_portal_state_of(const GError *error) {
  char *name = g_dbus_error_get_remote_error(error);
  gboolean is_refusal = g_strcmp0(name, "org.freedesktop.portal.Error.NotAllowed") == 0;
  g_free(name);
  if (is_refusal || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)) return PM_PORTAL_REFUSED;
  if (error->domain != G_DBUS_ERROR) return PM_PORTAL_FAILED;
  switch (error->code) {
    case G_DBUS_ERROR_SERVICE_UNKNOWN:
    case G_DBUS_ERROR_NAME_HAS_NO_OWNER:
    case G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND:
    case G_DBUS_ERROR_SPAWN_FAILED:
    case G_DBUS_ERROR_SPAWN_CHILD_EXITED:
    case G_DBUS_ERROR_SPAWN_CHILD_SIGNALED:
    case G_DBUS_ERROR_SPAWN_EXEC_FAILED:
      return PM_PORTAL_MISSING;
    case G_DBUS_ERROR_UNKNOWN_METHOD:
    case G_DBUS_ERROR_UNKNOWN_INTERFACE:
    case G_DBUS_ERROR_UNKNOWN_OBJECT:
      return PM_PORTAL_UNSUPPORTED;
    default:
      return PM_PORTAL_FAILED;
  }
}

GDBusConnection *pm_portal_bus_of(GAsyncResult *result, GError **error) {
  GDBusConnection *bus = g_bus_get_finish(result, error);
  // Else GIO ends the program together with the bus.
  if (bus) g_dbus_connection_set_exit_on_close(bus, FALSE);
  return bus;
}

static PmPortalRequest *retain(PmPortalRequest *self) {
  self->references++;
  return self;
}

static void drop(PmPortalRequest *self) {
  if (--self->references > 0) return;
  self->release(self->data);
  g_clear_object(&self->bus);
  g_clear_object(&self->call.files);
  g_clear_pointer(&self->call.arguments, g_variant_unref);
  g_clear_pointer(&self->call.options, g_variant_unref);
  g_free(self->path);
  g_free(self->token);
  g_free(self);
}

static void unsubscribe(PmPortalRequest *self) {
  if (self->response) g_dbus_connection_signal_unsubscribe(self->bus, self->response);
  if (self->end_of_portal) g_dbus_connection_signal_unsubscribe(self->bus, self->end_of_portal);
  self->response = self->end_of_portal = 0;
  if (self->end_of_bus) g_clear_signal_handler(&self->end_of_bus, self->bus);
  if (self->exported) {
    g_object_set_data(G_OBJECT(self->exported), LENT, NULL);
    gdk_wayland_toplevel_unexport_handle(self->exported);
    g_clear_object(&self->exported);
  }
}

/// Ends the request with an answer; only the first one counts.
static void answer(PmPortalRequest *self, PmPortalState state, const char *message) {
  if (self->is_over) return;
  self->is_over = TRUE;
  unsubscribe(self);
  self->answer(state, message, self->data);
}

/// Takes over the error.
static void fail(PmPortalRequest *self, GError *error) {
  PmPortalState state = pm_portal_state_of(error);
  g_dbus_error_strip_remote_error(error);
  answer(self, state, error->message);
  g_error_free(error);
}

static void handle_response(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                            const char *signal, GVariant *parameters, gpointer data) {
  guint32 response = 2;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})"))) {
    return answer(data, PM_PORTAL_UNINTELLIGIBLE, NULL);
  }
  g_variant_get(parameters, "(ua{sv})", &response, NULL);
  switch (response) {
    case 0: return answer(data, PM_PORTAL_DONE, NULL);
    case 1: return answer(data, PM_PORTAL_REFUSED, NULL);
    default: return answer(data, PM_PORTAL_CLOSED, NULL);
  }
}

/// A portal that ends takes its requests along and says nothing.
static void handle_owner(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                         const char *signal, GVariant *parameters, gpointer data) {
  const char *owner = NULL;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sss)"))) return;
  g_variant_get(parameters, "(&s&s&s)", NULL, NULL, &owner);
  if (*owner == '\0') answer(data, PM_PORTAL_CLOSED, NULL);
}

/// Without a bus, nothing more is heard of the portal.
static void handle_closed(GDBusConnection *bus, gboolean is_vanished, GError *error, gpointer data) {
  answer(data, PM_PORTAL_CLOSED, NULL);
}

static void listen_to_request(PmPortalRequest *self) {
  self->response = g_dbus_connection_signal_subscribe(self->bus, PM_PORTAL, REQUEST, "Response", self->path, NULL,
                                                      G_DBUS_SIGNAL_FLAGS_NONE, handle_response, self, NULL);
}

/// Takes the dialog from the screen.
static void close_request(PmPortalRequest *self) {
  g_dbus_connection_call(self->bus, PM_PORTAL, self->path, REQUEST, "Close", NULL, NULL,
                         G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

static void handle_asked(GObject *source, GAsyncResult *result, gpointer data) {
  PmPortalRequest *self = data;
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_with_unix_fd_list_finish(self->bus, NULL, result, &error);
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

/// @param parent the window's name for the portal; empty for none
static void ask(PmPortalRequest *self, const char *parent) {
  GVariantBuilder parameters;
  g_variant_builder_init(&parameters, G_VARIANT_TYPE_TUPLE);
  if (self->call.has_parent) g_variant_builder_add(&parameters, "s", parent);
  gsize count = self->call.arguments ? g_variant_n_children(self->call.arguments) : 0;
  for (gsize index = 0; index < count; index++) {
    GVariant *argument = g_variant_get_child_value(self->call.arguments, index);
    g_variant_builder_add_value(&parameters, argument);
    g_variant_unref(argument);
  }
  GVariantDict options;
  g_variant_dict_init(&options, self->call.options);
  g_variant_dict_insert(&options, "handle_token", "s", self->token);
  g_variant_builder_add_value(&parameters, g_variant_dict_end(&options));
  // Never canceled: what is to be closed then is known when the reply is there.
  g_dbus_connection_call_with_unix_fd_list(self->bus, PM_PORTAL, PM_PORTAL_PATH, self->call.interface,
                                           self->call.method, g_variant_builder_end(&parameters),
                                           G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, PATIENCE, self->call.files,
                                           NULL, handle_asked, retain(self));
}

static void handle_exported(GdkToplevel *toplevel, const char *handle, gpointer data) {
  PmPortalRequest *self = data;
  if (self->is_over) {
    g_object_set_data(G_OBJECT(toplevel), LENT, NULL);
    gdk_wayland_toplevel_unexport_handle(toplevel);
  } else {
    self->exported = g_object_ref(toplevel);
    char *parent = g_strdup_printf("wayland:%s", handle);
    ask(self, parent);
    g_free(parent);
  }
  drop(self);
}

static void ask_over_parent(PmPortalRequest *self) {
  GdkSurface *surface = self->call.parent ? gtk_native_get_surface(GTK_NATIVE(self->call.parent)) : NULL;
  if (surface && GDK_IS_X11_SURFACE(surface)) {
    char *parent = g_strdup_printf("x11:%lx", (unsigned long)gdk_x11_surface_get_xid(surface));
    ask(self, parent);
    g_free(parent);
  } else if (!surface || !GDK_IS_WAYLAND_TOPLEVEL(surface) || g_object_get_data(G_OBJECT(surface), LENT)) {
    ask(self, "");
  } else if (gdk_wayland_toplevel_export_handle(GDK_TOPLEVEL(surface), handle_exported, retain(self), NULL)) {
    g_object_set_data(G_OBJECT(surface), LENT, self);
  } else {
    ask(self, "");
    drop(self);
  }
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  PmPortalRequest *self = data;
  GError *error = NULL;
  self->bus = pm_portal_bus_of(result, &error);
  if (!self->bus) {
    answer(self, PM_PORTAL_MISSING, error->message);
    g_error_free(error);
  } else if (!self->is_over) {
    // The request's path follows from the name of the caller, so that the answer can't come before it is listened to.
    static guint number = 0;
    self->token = g_strdup_printf("photome_%s_%u", self->call.name, ++number);
    char *sender = g_strdelimit(g_strdup(g_dbus_connection_get_unique_name(self->bus) + 1), ".", '_');
    self->path = g_strdup_printf(PM_PORTAL_PATH "/request/%s/%s", sender, self->token);
    g_free(sender);
    listen_to_request(self);
    self->end_of_portal = g_dbus_connection_signal_subscribe(
        self->bus, DAEMON, DAEMON, "NameOwnerChanged", "/org/freedesktop/DBus", PM_PORTAL, G_DBUS_SIGNAL_FLAGS_NONE,
        handle_owner, self, NULL);
    self->end_of_bus = g_signal_connect(self->bus, "closed", G_CALLBACK(handle_closed), self);
    if (self->call.has_parent) {
      ask_over_parent(self);
    } else {
      ask(self, "");
    }
  }
  drop(self);
}

PmPortalRequest *pm_portal_request_make(PmPortalCall call, PmPortalAnswer answer, void *data,
                                        void (*release)(void *data)) {
  PmPortalRequest *self = g_new0(PmPortalRequest, 1);
  self->references = 1;
  self->call = call;
  if (call.arguments) g_variant_ref_sink(call.arguments);
  if (call.options) g_variant_ref_sink(call.options);
  if (call.files) g_object_ref(call.files);
  self->answer = answer;
  self->data = data;
  self->release = release;
  g_bus_get(G_BUS_TYPE_SESSION, NULL, handle_bus, retain(self));
  return self;
}

void pm_portal_request_end(PmPortalRequest *self) {
  if (!self->is_over) {
    self->is_over = self->is_ended = TRUE;
    unsubscribe(self);
    if (self->is_asked) close_request(self);
  }
  drop(self);
}
