// Notifications of the desktop session. Everything runs on the main thread, in callbacks of the main context.

#include "PmSessionWatch.h"

#define LOGIND "org.freedesktop.login1"
#define SESSION "org.freedesktop.login1.Session"

/// Lives until the program ends.
typedef struct {
  PmSessionWatchTell tell;
  void *data;
  gboolean is_locked;
  gboolean is_asleep;
  /// The session's LockedHint.
  gboolean is_hinted;
  /// The screen savers that are active, a bit each.
  guint savers;
} PmSessionWatch;

static void follow_locks(PmSessionWatch *watch) {
  gboolean is_locked = watch->is_hinted || watch->savers != 0;
  if (watch->is_locked == is_locked) return;
  watch->is_locked = is_locked;
  watch->tell(watch->is_locked, watch->is_asleep, watch->data);
}

static void set_hinted(PmSessionWatch *watch, gboolean is_hinted) {
  watch->is_hinted = is_hinted;
  follow_locks(watch);
}

// Screen savers on the session bus.

static const struct {
  const char *name;
  const char *path;
} saver_places[] = {
    {"org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"},
    {"org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"},
    {"org.mate.ScreenSaver", "/org/mate/ScreenSaver"},
    {"org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"},
};

/// One screen saver; lives until the program ends.
typedef struct {
  PmSessionWatch *watch;
  guint bit;
  const char *name;
  const char *path;
} Saver;

static void set_active(Saver *saver, gboolean is_active) {
  guint *savers = &saver->watch->savers;
  *savers = is_active ? *savers | saver->bit : *savers & ~saver->bit;
  follow_locks(saver->watch);
}

static void handle_active(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                          const char *signal, GVariant *parameters, gpointer data) {
  gboolean is_active = FALSE;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(b)"))) return;
  g_variant_get(parameters, "(b)", &is_active);
  set_active(data, is_active);
}

static void handle_active_reply(GObject *source, GAsyncResult *result, gpointer data) {
  GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
  if (!reply) return;
  gboolean is_active = FALSE;
  g_variant_get(reply, "(b)", &is_active);
  set_active(data, is_active);
  g_variant_unref(reply);
}

static void handle_saver(GDBusConnection *bus, const char *name, const char *owner, gpointer data) {
  Saver *saver = data;
  g_dbus_connection_call(bus, saver->name, saver->path, saver->name, "GetActive", NULL, G_VARIANT_TYPE("(b)"),
                         G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, handle_active_reply, saver);
}

/// A lock screen that ended locks nothing any more.
static void handle_saver_end(GDBusConnection *bus, const char *name, gpointer data) { set_active(data, FALSE); }

static void handle_session_bus(GObject *source, GAsyncResult *result, gpointer data) {
  GDBusConnection *bus = g_bus_get_finish(result, NULL);
  if (!bus) return;
  for (guint index = 0; index < G_N_ELEMENTS(saver_places); index++) {
    Saver *saver = g_new0(Saver, 1);
    saver->watch = data;
    saver->bit = 1u << index;
    saver->name = saver_places[index].name;
    saver->path = saver_places[index].path;
    // On whichever path: KDE's has two.
    g_dbus_connection_signal_subscribe(bus, saver->name, saver->name, "ActiveChanged", NULL, NULL,
                                       G_DBUS_SIGNAL_FLAGS_NONE, handle_active, saver, NULL);
    g_bus_watch_name_on_connection(bus, saver->name, G_BUS_NAME_WATCHER_FLAGS_NONE, handle_saver, handle_saver_end,
                                   saver, NULL);
  }
}

static void handle_sleep(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                         const char *signal, GVariant *parameters, gpointer data) {
  PmSessionWatch *watch = data;
  gboolean is_asleep = FALSE;
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(b)"))) return;
  g_variant_get(parameters, "(b)", &is_asleep);
  if (watch->is_asleep == is_asleep) return;
  watch->is_asleep = is_asleep;
  watch->tell(watch->is_locked, watch->is_asleep, watch->data);
}

static void handle_properties(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                              const char *signal, GVariant *parameters, gpointer data) {
  if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sa{sv}as)"))) return;
  GVariant *changed = g_variant_get_child_value(parameters, 1);
  gboolean is_locked = FALSE;
  if (g_variant_lookup(changed, "LockedHint", "b", &is_locked)) set_hinted(data, is_locked);
  g_variant_unref(changed);
}

static void handle_locked_hint(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  if (reply) {
    GVariant *value = NULL;
    g_variant_get(reply, "(v)", &value);
    if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN)) set_hinted(data, g_variant_get_boolean(value));
    g_variant_unref(value);
    g_variant_unref(reply);
  }
  // A session without the property is never locked.
  g_clear_error(&error);
}

static void handle_session(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  if (reply) {
    PmSessionWatch *watch = data;
    const char *path = NULL;
    g_variant_get(reply, "(&o)", &path);
    GDBusConnection *bus = G_DBUS_CONNECTION(source);
    g_dbus_connection_signal_subscribe(
        bus, LOGIND, "org.freedesktop.DBus.Properties", "PropertiesChanged", path, SESSION,
        G_DBUS_SIGNAL_FLAGS_NONE, handle_properties, watch, NULL);
    g_dbus_connection_call(bus, LOGIND, path, "org.freedesktop.DBus.Properties", "Get",
                           g_variant_new("(ss)", SESSION, "LockedHint"), G_VARIANT_TYPE("(v)"),
                           G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, handle_locked_hint, watch);
    g_variant_unref(reply);
  }
  g_clear_error(&error);
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_finish(result, &error);
  g_clear_error(&error);
  if (!bus) return;
  PmSessionWatch *watch = data;
  // Else GIO ends the program together with the bus.
  g_dbus_connection_set_exit_on_close(bus, FALSE);
  g_dbus_connection_signal_subscribe(
      bus, LOGIND, LOGIND ".Manager", "PrepareForSleep", "/org/freedesktop/login1", NULL, G_DBUS_SIGNAL_FLAGS_NONE,
      handle_sleep, watch, NULL);
  const char *session = g_getenv("XDG_SESSION_ID");
  // “auto”: the session of the caller, or else the graphical one of its user, for who started it as a service. A sandbox
  // knows neither its session nor the number that its process has outside.
  g_dbus_connection_call(bus, LOGIND, "/org/freedesktop/login1", LOGIND ".Manager", "GetSession",
                         g_variant_new("(s)", session && *session ? session : "auto"),
                         G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL,
                         handle_session, watch);
}

void pm_session_watch_start(PmSessionWatchTell tell, void *data) {
  PmSessionWatch *watch = g_new0(PmSessionWatch, 1);
  watch->tell = tell;
  watch->data = data;
  g_bus_get(G_BUS_TYPE_SYSTEM, NULL, handle_bus, watch);
  g_bus_get(G_BUS_TYPE_SESSION, NULL, handle_session_bus, watch);
}
