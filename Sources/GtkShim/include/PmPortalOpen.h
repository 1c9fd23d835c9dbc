// Files in other programs and in the file manager, through the desktop's portal.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

typedef enum {
  /// Lets the person choose the program.
  PM_PORTAL_OPEN_WITH,
  /// In the file's usual program.
  PM_PORTAL_OPEN,
  /// Selected in the file manager.
  PM_PORTAL_SHOW,
} PmPortalOpening;

/// Called once on the main thread: with `NULL` when the portal has taken the file, else with the reason why not.
typedef void (*PmPortalOpened)(const char *_Nullable reason, void *_Nullable data);

/// Asks `org.freedesktop.portal.OpenURI` to open a file, whose descriptor goes along: in a sandbox its path is another one.
/// Returns at once; on the main thread. A person who dismisses the portal's dialog isn't heard of.
///
/// @param window the dialog opens over it; realized
void pm_portal_open(GtkWindow *window, const char *path, PmPortalOpening opening, PmPortalOpened opened,
                    void *_Nullable data);

#pragma clang assume_nonnull end
