// Small services of GTK that are macros or variadic in C.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// Sets the name that a screen reader says for a widget.
void pm_set_accessible_label(GtkWidget *widget, const char *label);

/// Sets what a screen reader adds to the name.
void pm_set_accessible_description(GtkWidget *widget, const char *description);

/// A texture with a copy of a small picture (blue, green, red, nothing: 8 bits each). For thumbnails; on any thread.
///
/// GTK 4.8 takes every pixel of a BGRA texture through floats; three bytes a pixel are kept as they are.
///
/// @param stride bytes from one row to the next, at least `4 * width`
/// @return a reference that the caller owns.
GdkTexture *pm_texture_new_from_bgrx(const void *pixels, int width, int height, int stride);

/// When an event happened in milliseconds of the server's clock, on `CLOCK_MONOTONIC` in nanoseconds: servers of X and
/// Wayland count on that clock, but only in 32 bits of milliseconds. Of events in one millisecond the one that is asked
/// about later is later, by nanoseconds: servers tell events in their order. On the main thread.
///
/// @param event_time `gdk_event_get_time`
/// @return the instant, or the present one where `event_time` is none, in the future, or more than a second ago (a
///   server that counts on another clock).
gint64 pm_event_time_to_monotonic(guint32 event_time);

/// Files for the clipboard or for a drag, in the forms that file managers and other programs read: a list of files, which
/// GTK also gives as `text/uri-list` and as text, and the form of GNOME's and others' file managers.
///
/// @param paths ends with NULL; at least one
/// @param picture also offered as an image, where it is not NULL
/// @return a reference that the caller owns.
GdkContentProvider *pm_content_for_files(const char *_Nullable const *_Nonnull paths, GdkTexture *_Nullable picture);

#pragma clang assume_nonnull end
