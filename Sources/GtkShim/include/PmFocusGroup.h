// A box that is a single stop for Tab, around a list or a row of toggle buttons.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_FOCUS_GROUP (pm_focus_group_get_type())

// Tab and Shift+Tab enter it once and leave it from wherever the focus is inside; the arrow keys move inside, and those across
// a row leave it. GTK's lists
// visit each of their rows with Tab; `gtk_list_view_set_tab_behavior` came with GTK 4.12.
//
// They enter at the pressed toggle button if one of the buttons inside is pressed, else where the focus was last. A handler
// of the signal `gboolean entering ()` can give the focus to another widget inside, and returns TRUE then.
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmFocusGroup, pm_focus_group, PM, FOCUS_GROUP, GtkBox)
#pragma clang diagnostic pop

/// Registers the type for GtkBuilder, which finds types by name.
void pm_focus_group_ensure_type(void);

#pragma clang assume_nonnull end
