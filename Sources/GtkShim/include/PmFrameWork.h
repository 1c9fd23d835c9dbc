// How long the main thread works for each frame of a window, and how much of that is PhotoMe's own work.
//
// Counted only after `pm_frame_work_watch`; until then beginning and ending cost a comparison each.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// What frames cost on the main thread, in nanoseconds.
///
/// PhotoMe's own work for a frame is what it does on the main thread between the ends of two frames: its handlers of
/// signals, what it does when GLib's loop or the main dispatch queue call it, and the describing of its own widgets; with
/// all that GTK does inside of those calls.
typedef struct {
  /// Painted.
  guint frames;
  /// The most own work for one of them, in processor time.
  gint64 longest_own_work;
  /// The same as it passed: with waiting, and with being kept from the processor by others.
  gint64 longest_own_time;
  /// The longest frame of GTK's as it passed: events, layout, and painting down to the pixels, with PhotoMe's part in them.
  gint64 longest_frame_time;
} PmFrameWork;

/// Counts from now on, by the frame clock of a widget that is realized. Once in a process.
void pm_frame_work_watch(GtkWidget *widget);

/// What has been counted since the last call.
PmFrameWork pm_frame_work_take(void);

/// PhotoMe's own work begins; calls may be nested, and the outermost counts.
void pm_own_work_begin(void);

/// It ends.
void pm_own_work_end(void);

#pragma clang assume_nonnull end
