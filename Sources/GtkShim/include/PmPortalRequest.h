// Requests to the desktop's portal: a question to the person, and its answer.
#pragma once

#include <gio/gunixfdlist.h>
#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// The portal's name on the session bus, and its object.
#define PM_PORTAL "org.freedesktop.portal.Desktop"
#define PM_PORTAL_PATH "/org/freedesktop/portal/desktop"

typedef enum {
  PM_PORTAL_DONE,
  /// The person, the desktop's privacy settings or an administrator doesn't allow it, or the person dismissed the dialog.
  PM_PORTAL_REFUSED,
  /// The request ended without an answer.
  PM_PORTAL_CLOSED,
  /// Nobody on the session bus is the portal.
  PM_PORTAL_MISSING,
  /// The portal has no part for this, or nothing that shows its dialogs.
  PM_PORTAL_UNSUPPORTED,
  /// The portal's answer has other types than it should.
  PM_PORTAL_UNINTELLIGIBLE,
  /// Anything else; the message says what.
  PM_PORTAL_FAILED,
} PmPortalState;

/// An answer, on the main thread. `message` is the portal's own text, for `PM_PORTAL_FAILED`, and for `PM_PORTAL_REFUSED` where
/// the portal has refused it without asking.
typedef void (*PmPortalAnswer)(PmPortalState state, const char *_Nullable message, void *_Nullable data);

/// A request that may be under way.
typedef struct _PmPortalRequest PmPortalRequest;

/// A method of the portal's, whose arguments are the parent window, `arguments` and `options`.
typedef struct {
  /// Static texts, as is `name`: a part of the request's path, of letters and underscores.
  const char *interface, *method, *name;
  /// Whether the first argument is the parent window.
  gboolean has_parent;
  /// The dialog opens over it; realized, and alive until the request has an answer or is ended. `NULL` for none.
  GtkWindow *_Nullable parent;
  /// A tuple, and an `a{sv}`; floating, and taken over.
  GVariant *_Nullable arguments, *_Nullable options;
  /// The descriptors that the arguments number; borrowed.
  GUnixFDList *_Nullable files;
} PmPortalCall;

/// Makes a request; returns at once. There is no time limit: a person may take theirs. On the main thread.
///
/// @param answer called once, unless the request is ended before
/// @param data passed to `answer`, and to `release` when no further call comes
PmPortalRequest *pm_portal_request_make(PmPortalCall call, PmPortalAnswer answer, void *_Nullable data,
                                        void (*release)(void *_Nullable data));

/// Ends a request, and takes its dialog from the screen where there is no answer yet. Nothing is called afterwards, and the
/// pointer is no longer valid. On the main thread.
void pm_portal_request_end(PmPortalRequest *request);

/// The state for the error of a call of the portal's. Any thread.
PmPortalState pm_portal_state_of(const GError *error);

/// The bus of a finished `g_bus_get`, which doesn't end the program when it goes; `NULL` with an error. Any thread.
GDBusConnection *_Nullable pm_portal_bus_of(GAsyncResult *result, GError *_Nullable *_Nonnull error);

#pragma clang assume_nonnull end
