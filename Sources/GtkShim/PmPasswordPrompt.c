// The password prompt of polkit. Everything runs on the main thread, in callbacks of the main context.

#include "PmPasswordPrompt.h"

#include <string.h>

#define AUTHORITY "org.freedesktop.PolicyKit1"
/// `AllowUserInteraction` of CheckAuthorizationFlags.
#define ALLOW_INTERACTION 1u

/// One question, until it is answered.
typedef struct {
  char *action;
  PmPasswordTell tell;
  void *data;
} PmPasswordPrompt;

static void answer(PmPasswordPrompt *prompt, PmPasswordAnswer answer) {
  prompt->tell(answer, prompt->data);
  g_free(prompt->action);
  g_free(prompt);
}

/// The reason that polkit could not even check.
static PmPasswordAnswer answer_of(GError *error) {
  char *name = g_dbus_error_get_remote_error(error);
  // polkit has one error for everything; that of an unknown action says so in its text, which isn't translated.
  gboolean is_unknown_action =
      name && strstr(name, AUTHORITY ".Error") == name && error->message && strstr(error->message, "is not registered");
  g_free(name);
  return is_unknown_action ? PM_PASSWORD_NO_ACTION : PM_PASSWORD_NO_AUTHORITY;
}

static void handle_check(GObject *source, GAsyncResult *result, gpointer data) {
  PmPasswordPrompt *prompt = data;
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  if (!reply) {
    PmPasswordAnswer reason = answer_of(error);
    g_clear_error(&error);
    answer(prompt, reason);
    return;
  }
  gboolean is_authorized = FALSE, is_challenge = FALSE;
  GVariant *details = NULL;
  g_variant_get(reply, "((bb@a{ss}))", &is_authorized, &is_challenge, &details);
  const char *dismissed = NULL;
  gboolean is_dismissed = g_variant_lookup(details, "polkit.dismissed", "&s", &dismissed);
  g_variant_unref(details);
  g_variant_unref(reply);
  // An authorization that still has to be earned after the user could be asked: nobody was there to ask.
  answer(prompt, is_authorized  ? PM_PASSWORD_GRANTED
                 : is_dismissed ? PM_PASSWORD_DISMISSED
                 : is_challenge ? PM_PASSWORD_NO_AGENT
                                : PM_PASSWORD_REFUSED);
}

static void handle_bus(GObject *source, GAsyncResult *result, gpointer data) {
  PmPasswordPrompt *prompt = data;
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_finish(result, &error);
  g_clear_error(&error);
  const char *name = bus ? g_dbus_connection_get_unique_name(bus) : NULL;
  if (!name) {
    g_clear_object(&bus);
    answer(prompt, PM_PASSWORD_NO_AUTHORITY);
    return;
  }
  // Else GIO ends the program together with the bus.
  g_dbus_connection_set_exit_on_close(bus, FALSE);
  GVariantBuilder subject, details;
  g_variant_builder_init(&subject, G_VARIANT_TYPE("a{sv}"));
  g_variant_builder_add(&subject, "{sv}", "name", g_variant_new_string(name));
  g_variant_builder_init(&details, G_VARIANT_TYPE("a{ss}"));
  // Typing a password takes any time.
  g_dbus_connection_call(
      bus, AUTHORITY, "/org/freedesktop/PolicyKit1/Authority", AUTHORITY ".Authority", "CheckAuthorization",
      g_variant_new("((sa{sv})sa{ss}us)", "system-bus-name", &subject, prompt->action, &details, ALLOW_INTERACTION, ""),
      G_VARIANT_TYPE("((bba{ss}))"), G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL, handle_check, prompt);
  g_object_unref(bus);
}

void pm_password_prompt(const char *action, PmPasswordTell tell, void *data) {
  PmPasswordPrompt *prompt = g_new0(PmPasswordPrompt, 1);
  prompt->action = g_strdup(action);
  prompt->tell = tell;
  prompt->data = data;
  g_bus_get(G_BUS_TYPE_SYSTEM, NULL, handle_bus, prompt);
}
