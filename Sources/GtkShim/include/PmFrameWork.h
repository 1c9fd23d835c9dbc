// Measurement of the main thread's work per frame of a window, and of PhotoMe's own share of it.
//
// Measures only after `pm_frame_work_watch`; before that, beginning and ending cost one comparison each.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// The cost of frames on the main thread, in nanoseconds.
///
/// PhotoMe's own work for a frame is everything that it does on the main thread between the ends of two frames: signal
/// handlers, calls by GLib's loop and the main dispatch queue, and snapshots of its own widgets, including GTK's work
/// inside those calls.
typedef struct {
  /// The number of painted frames.
  guint frames;
  /// The most own work for one frame, in processor time.
  gint64 longest_own_work;
  /// The same in elapsed time: including waits, and preemption by other processes.
  gint64 longest_own_time;
  /// The longest frame in elapsed time: events, layout and painting, including PhotoMe's part.
  gint64 longest_frame_time;
} PmFrameWork;

/// Starts measuring, by the frame clock of a realized widget. Once per process.
void pm_frame_work_watch(GtkWidget *widget);

/// Returns the measurements since the last call, and resets them.
PmFrameWork pm_frame_work_take(void);

/// Marks the beginning of PhotoMe's own work; calls may be nested, and the outermost counts.
void pm_own_work_begin(void);

/// Marks its end.
void pm_own_work_end(void);

#pragma clang assume_nonnull end
