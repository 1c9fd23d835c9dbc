// The place of the computer, from GeoClue or from the desktop's portal. Everything runs on the main thread, in callbacks
// of the main context.

#include "PmLocation.h"

#include "PmPortalRequest.h"

#define GEOCLUE "org.freedesktop.GeoClue2"
/// Exact, in GeoClue's enumeration and in the portal's.
#define GEOCLUE_EXACT 8
#define PORTAL_EXACT 5
/// In meters: a laptop that is carried about the house stays where it is.
#define DISTANCE 100

struct _PmLocation {
  /// The owner, and each call that is under way.
  int references;
  gboolean is_stopped;
  gboolean uses_portal;
  char *desktop_id;
  /// GeoClue's client, or the portal's session.
  char *path;
  GDBusConnection *bus;
  GCancellable *cancellable;
  guint updates;
  /// The question whether the session may be told.
  PmPortalRequest *question;
  PmLocationTell tell;
  void *data;
  void (*release)(void *data);
};

static void begin(PmLocation *self);

static PmLocation *retain(PmLocation *self) {
  self->references++;
  return self;
}

static void drop(PmLocation *self) {
  if (--self->references > 0) return;
  self->release(self->data);
  g_clear_object(&self->bus);
  g_clear_object(&self->cancellable);
  g_free(self->desktop_id);
  g_free(self->path);
  g_free(self);
}

static void unsubscribe(PmLocation *self) {
  if (self->bus && self->updates) g_dbus_connection_signal_unsubscribe(self->bus, self->updates);
  self->updates = 0;
  g_clear_pointer(&self->question, pm_portal_request_end);
}

static void tell(PmLocation *self, PmLocationState state) {
  if (!self->is_stopped) self->tell((PmLocationNotice){.state = state}, self->data);
}

static void tell_place(PmLocation *self, GVariant *properties) {
  PmLocationNotice notice = {.state = PM_LOCATION_FOUND};
  if (self->is_stopped || !g_variant_lookup(properties, "Latitude", "d", &notice.latitude) ||
      !g_variant_lookup(properties, "Longitude", "d", &notice.longitude))
    return;
  g_variant_lookup(properties, "Accuracy", "d", &notice.accuracy);
  self->tell(notice, self->data);
}

/// Tells why there is no place, or asks the portal where GeoClue isn't there. Frees the error.
static void fail(PmLocation *self, GError *error) {
  gboolean is_refused = g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
  gboolean is_canceled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_error_free(error);
  if (is_canceled || self->is_stopped) return;
  unsubscribe(self);
  // The other calls of this attempt fail for the same reason.
  g_cancellable_cancel(self->cancellable);
  g_object_unref(self->cancellable);
  self->cancellable = g_cancellable_new();
  if (is_refused) return tell(self, PM_LOCATION_REFUSED);
  if (self->uses_portal) return tell(self, PM_LOCATION_UNAVAILABLE);
  self->uses_portal = TRUE;
  g_clear_object(&self->bus);
  g_clear_pointer(&self->path, g_free);
  begin(self);
}

/// - Returns: the reply, or `NULL` after the failure has been dealt with or the search has ended
static GVariant *reply_of(PmLocation *self, GObject *source, GAsyncResult *result) {
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  if (!reply) {
    fail(self, error);
    return NULL;
  }
  if (!self->is_stopped) return reply;
  g_variant_unref(reply);
  return NULL;
}

static void call(PmLocation *self, const char *path, const char *interface, const char *method, GVariant *parameters,
                 const char *reply_type, GAsyncReadyCallback done) {
  g_dbus_connection_call(self->bus, self->uses_portal ? PM_PORTAL : GEOCLUE, path, interface, method, parameters,
                         reply_type ? G_VARIANT_TYPE(reply_type) : NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                         self->cancellable, done, retain(self));
}

// MARK: GeoClue

static void handle_place(GObject *source, GAsyncResult *result, gpointer data) {
  PmLocation *self = data;
  GVariant *reply = reply_of(self, source, result);
  if (reply) {
    GVariant *properties = g_variant_get_child_value(reply, 0);
    tell_place(self, properties);
    g_variant_unref(properties);
    g_variant_unref(reply);
  }
  drop(self);
}

static void handle_update(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                          const char *signal, GVariant *parameters, gpointer data) {
  PmLocation *self = data;
  const char *place = NULL;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(oo)"))) return;
  g_variant_get(parameters, "(o&o)", NULL, &place);
  call(self, place, "org.freedesktop.DBus.Properties", "GetAll", g_variant_new("(s)", GEOCLUE ".Location"),
       "(a{sv})", handle_place);
}

/// For calls that only have to succeed.
static void handle_done(GObject *source, GAsyncResult *result, gpointer data) {
  GVariant *reply = reply_of(data, source, result);
  if (reply) g_variant_unref(reply);
  drop(data);
}

static void set(PmLocation *self, const char *property, GVariant *value) {
  call(self, self->path, "org.freedesktop.DBus.Properties", "Set",
       g_variant_new("(ssv)", GEOCLUE ".Client", property, value), NULL, handle_done);
}

static void handle_client(GObject *source, GAsyncResult *result, gpointer data) {
  PmLocation *self = data;
  GVariant *reply = reply_of(self, source, result);
  if (reply) {
    g_variant_get(reply, "(o)", &self->path);
    g_variant_unref(reply);
    self->updates = g_dbus_connection_signal_subscribe(self->bus, GEOCLUE, GEOCLUE ".Client", "LocationUpdated",
                                                       self->path, NULL, G_DBUS_SIGNAL_FLAGS_NONE, handle_update, self,
                                                       NULL);
    set(self, "DesktopId", g_variant_new_string(self->desktop_id));
    set(self, "DistanceThreshold", g_variant_new_uint32(DISTANCE));
    set(self, "RequestedAccuracyLevel", g_variant_new_uint32(GEOCLUE_EXACT));
    // Calls of one sender arrive in order.
    call(self, self->path, GEOCLUE ".Client", "Start", NULL, NULL, handle_done);
  }
  drop(self);
}

// MARK: The portal

static void handle_portal_update(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                                 const char *signal, GVariant *parameters, gpointer data) {
  PmLocation *self = data;
  const char *session = NULL;
  GVariant *properties = NULL;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(oa{sv})"))) return;
  g_variant_get(parameters, "(&o@a{sv})", &session, &properties);
  if (g_strcmp0(session, self->path) == 0) tell_place(self, properties);
  g_variant_unref(properties);
}

static void handle_answer(PmPortalState state, const char *message, void *data) {
  if (state != PM_PORTAL_DONE) tell(data, state == PM_PORTAL_REFUSED ? PM_LOCATION_REFUSED : PM_LOCATION_UNAVAILABLE);
}

static void drop_data(void *data) { drop(data); }

static void handle_session(GObject *source, GAsyncResult *result, gpointer data) {
  PmLocation *self = data;
  GVariant *reply = reply_of(self, source, result);
  if (reply) {
    g_variant_get(reply, "(o)", &self->path);
    g_variant_unref(reply);
    self->updates = g_dbus_connection_signal_subscribe(
        self->bus, PM_PORTAL, "org.freedesktop.portal.Location", "LocationUpdated", PM_PORTAL_PATH, NULL,
        G_DBUS_SIGNAL_FLAGS_NONE, handle_portal_update, self, NULL);
    PmPortalCall call = {
        .interface = "org.freedesktop.portal.Location",
        .method = "Start",
        .name = "location",
        .arguments = g_variant_new("(os)", self->path, ""),
    };
    self->question = pm_portal_request_make(call, handle_answer, retain(self), drop_data);
  }
  drop(self);
}

// MARK: Both

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  PmLocation *self = data;
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_finish(result, &error);
  if (!bus) {
    fail(self, error);
  } else if (self->is_stopped) {
    g_object_unref(bus);
  } else {
    self->bus = bus;
    // Else GIO ends the program together with the bus.
    g_dbus_connection_set_exit_on_close(bus, FALSE);
    if (self->uses_portal) {
      GVariantBuilder options;
      g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
      g_variant_builder_add(&options, "{sv}", "session_handle_token", g_variant_new_string("photome_location"));
      g_variant_builder_add(&options, "{sv}", "distance-threshold", g_variant_new_uint32(DISTANCE));
      g_variant_builder_add(&options, "{sv}", "accuracy", g_variant_new_uint32(PORTAL_EXACT));
      call(self, PM_PORTAL_PATH, "org.freedesktop.portal.Location", "CreateSession", g_variant_new("(a{sv})", &options),
           "(o)", handle_session);
    } else {
      call(self, "/org/freedesktop/GeoClue2/Manager", GEOCLUE ".Manager", "CreateClient", NULL, "(o)", handle_client);
    }
  }
  drop(self);
}

static void begin(PmLocation *self) {
  g_bus_get(self->uses_portal ? G_BUS_TYPE_SESSION : G_BUS_TYPE_SYSTEM, self->cancellable, handle_bus, retain(self));
}

PmLocation *pm_location_start(const char *desktop_id, gboolean uses_portal, PmLocationTell tell, void *data,
                              void (*release)(void *data)) {
  PmLocation *self = g_new0(PmLocation, 1);
  self->references = 1;
  self->desktop_id = g_strdup(desktop_id);
  self->cancellable = g_cancellable_new();
  self->tell = tell;
  self->data = data;
  self->release = release;
  self->uses_portal = uses_portal;
  begin(self);
  return self;
}

void pm_location_stop(PmLocation *self) {
  unsubscribe(self);
  // The service stops by itself only when the program leaves the bus.
  if (self->path && self->bus) {
    if (self->uses_portal) {
      g_dbus_connection_call(self->bus, PM_PORTAL, self->path, "org.freedesktop.portal.Session", "Close", NULL, NULL,
                             G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
    } else {
      g_dbus_connection_call(self->bus, GEOCLUE, self->path, GEOCLUE ".Client", "Stop", NULL, NULL,
                             G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
      g_dbus_connection_call(self->bus, GEOCLUE, "/org/freedesktop/GeoClue2/Manager", GEOCLUE ".Manager",
                             "DeleteClient", g_variant_new("(o)", self->path), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                             NULL, NULL);
    }
  }
  self->is_stopped = TRUE;
  g_cancellable_cancel(self->cancellable);
  drop(self);
}
