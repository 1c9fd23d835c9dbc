// Files handed to the desktop's portal: opened, shown, attached to an email, or set as the background.
#pragma once

#include "PmPortalRequest.h"

#pragma clang assume_nonnull begin

// All of them return at once, on the main thread. Descriptors go along instead of paths, which are others in a sandbox; they
// are open for reading, and the caller may close them afterwards. The dialogs open over `window`, which is realized.
//
// @param answer called once, unless the request is ended before
// @param data passed to `answer`, and to `release` when no further call comes

typedef enum {
  /// Lets the person choose the program.
  PM_PORTAL_OPEN_WITH,
  /// In the file's usual program.
  PM_PORTAL_OPEN,
  /// Selected in the file manager.
  PM_PORTAL_SHOW,
} PmPortalOpening;

/// Asks `org.freedesktop.portal.OpenURI` to open a file.
PmPortalRequest *pm_portal_open(GtkWindow *window, int descriptor, PmPortalOpening opening, PmPortalAnswer answer,
                                void *_Nullable data, void (*release)(void *_Nullable data));

/// Asks `org.freedesktop.portal.Email` for a new email with files attached, which the person then completes and sends.
PmPortalRequest *pm_portal_compose_email(GtkWindow *window, const int *descriptors, int count, PmPortalAnswer answer,
                                         void *_Nullable data, void (*release)(void *_Nullable data));

/// Asks `org.freedesktop.portal.Wallpaper` to make a picture the desktop's background, after a preview.
PmPortalRequest *pm_portal_set_background(GtkWindow *window, int descriptor, PmPortalAnswer answer,
                                          void *_Nullable data, void (*release)(void *_Nullable data));

#pragma clang assume_nonnull end
