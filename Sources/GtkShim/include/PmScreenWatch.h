// The time at which a painting appears on screen.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// Follows the paintings of a window to the screen.
///
/// Painting means sending requests. The server executes them when it gets to it: on a busy machine some milliseconds
/// later, and the shutter may be pressed in between. An X server can report the time itself: its DAMAGE extension sends
/// an event for every change to a window at that instant, in order with button presses and on the same clock. Without
/// such a server, the end of the painting has to do.
typedef struct PmScreenWatch PmScreenWatch;

/// A watch's callback, on the main thread: the painting with this `mark` is on screen since `since`, which can be
/// compared with `pm_event_time_to_monotonic`. Once per mark, in order.
typedef void (*PmScreenWatchReport)(gint64 mark, gint64 since, void *data);

/// Starts watching the window of a realized widget.
///
/// @return owned by the caller, who calls `pm_screen_watch_free` before the widget is unrealized.
PmScreenWatch *pm_screen_watch_new(GtkWidget *widget, PmScreenWatchReport report, void *data);

/// To be called after each painting of the window: in the frame clock's `after-paint`.
///
/// @param mark identifies the new contents of this painting; -1 when there are none worth reporting
void pm_screen_watch_painted(PmScreenWatch *watch, gint64 mark);

/// Ends the watch; paintings on their way are no longer reported.
void pm_screen_watch_free(PmScreenWatch *watch);

#pragma clang assume_nonnull end
