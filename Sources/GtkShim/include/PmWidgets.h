// GTK functions that are macros or variadic in C, and helpers for textures, event times and file lists.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// Sets a widget's accessible name.
void pm_set_accessible_label(GtkWidget *widget, const char *label);

/// Sets a widget's accessible description.
void pm_set_accessible_description(GtkWidget *widget, const char *description);

/// Sets the text that is spoken for a range's value, such as "35 %".
void pm_set_accessible_value_text(GtkWidget *widget, const char *text);

/// Has a screen reader say a text, if one of the program's windows has the keyboard.
///
/// GTK before 4.14 can't announce anything. Screen readers of that time say the description of the widget with the focus when
/// it changes, and only that: there the text is the description of that widget until it loses the focus. One that
/// `pm_set_accessible_description` has set, or the tooltip's, comes back then.
void pm_announce(const char *text);

/// Paints a rectangle whose shorter sides, those on the left and right, are half circles.
void pm_append_pill(GtkSnapshot *snapshot, const graphene_rect_t *place, const GdkRGBA *color);

/// A texture with a copy of a small picture (8 bits each of blue, green, red and padding). For thumbnails; on any
/// thread.
///
/// GTK 4.8 converts every pixel of a BGRA texture through floats; three bytes per pixel are kept as they are.
///
/// @param stride bytes from one row to the next, at least `4 * width`
/// @return a reference that the caller owns.
GdkTexture *pm_texture_new_from_bgrx(const void *pixels, int width, int height, int stride);

/// Converts an event's time from milliseconds of the server's clock to nanoseconds of `CLOCK_MONOTONIC`. X and Wayland
/// servers use that clock, but only 32 bits of milliseconds. Of several events in the same millisecond, later calls
/// return later times, by nanoseconds: servers deliver events in order. On the main thread.
///
/// @param event_time `gdk_event_get_time`
/// @return the time, or the current one where `event_time` is missing, in the future, or more than a second ago (a
///   server with another clock).
gint64 pm_event_time_to_monotonic(guint32 event_time);

/// Files for the clipboard or a drag, in the formats that file managers and other programs read: a file list, which GTK
/// also offers as `text/uri-list` and as text, and the format of GNOME's and other file managers.
///
/// @param paths ends with NULL; at least one
/// @param picture also offered as an image, unless it is NULL
/// @return a reference that the caller owns.
GdkContentProvider *pm_content_for_files(const char *_Nullable const *_Nonnull paths, GdkTexture *_Nullable picture);

#pragma clang assume_nonnull end
