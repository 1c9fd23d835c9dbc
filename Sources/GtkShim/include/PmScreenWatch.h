// Since when a painting is on the screen.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// Follows the paintings of one window to the screen.
///
/// To paint is to send requests. The server carries them out when it comes to it: on a busy machine some milliseconds
/// later, and a press may fall in between. An X server says by itself when it was: its DAMAGE extension tells of every
/// change to a window in the same instant, in order with the presses and by the same clock. Where there is no such server,
/// the end of the painting has to do.
typedef struct PmScreenWatch PmScreenWatch;

/// What a watch calls, on the main thread: the painting that carries `mark` is on the screen since `since`, which compares
/// with `pm_event_time_to_monotonic`. Once a mark, in their order.
typedef void (*PmScreenWatchTell)(gint64 mark, gint64 since, void *data);

/// Begins to watch the window of a realized widget.
///
/// @return owned by the caller; `pm_screen_watch_free` comes before the widget is unrealized.
PmScreenWatch *pm_screen_watch_new(GtkWidget *widget, PmScreenWatchTell tell, void *data);

/// The frame clock's `after-paint`: call it after each painting of the window.
///
/// @param mark names what is new in this painting; -1 when nothing is that anybody wants to be told of.
void pm_screen_watch_painted(PmScreenWatch *watch, gint64 mark);

/// Ends the watch; what was on its way is not told any more.
void pm_screen_watch_free(PmScreenWatch *watch);

#pragma clang assume_nonnull end
