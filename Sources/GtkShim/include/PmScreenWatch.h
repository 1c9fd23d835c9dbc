// The time at which a painting appears on screen.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// Follows the paintings of a window to the screen.
///
/// Painting means sending requests, which are executed later: by some milliseconds on a busy machine, and at the next
/// refresh of the screen where a GPU draws or a compositor shows the window. The shutter may be pressed in between.
///
/// Under the cairo renderer, an X server reports the time itself: its DAMAGE extension sends an event for every change to
/// a window at that instant, in order with button presses and on the same clock. A Wayland compositor reports when each
/// painting was presented, or that it never was, also in order with presses. Elsewhere the frame clock may be told
/// some time afterward. Where nothing is reported, the time is the first refresh of the screen after the end of the
/// painting: rather late than early, because a picture that nobody saw must not be taken for the one that was on screen.
typedef struct PmScreenWatch PmScreenWatch;

/// A watch's callback, on the main thread: the painting with this `mark` is on screen since `since`, which can be
/// compared with `pm_event_time_to_monotonic`. Once per mark that was on screen, in order.
typedef void (*PmScreenWatchReport)(gint64 mark, gint64 since, void *data);

/// Starts watching the window of a realized widget.
///
/// @return owned by the caller, who calls `pm_screen_watch_free` before the widget is unrealized.
PmScreenWatch *pm_screen_watch_new(GtkWidget *widget, PmScreenWatchReport report, void *data);

/// To be called while new contents are drawn, before the painting is sent.
void pm_screen_watch_painting(PmScreenWatch *watch);

/// To be called after each painting of the window: in the frame clock's `after-paint`.
///
/// @param mark identifies the new contents of this painting; -1 when there are none worth reporting
void pm_screen_watch_painted(PmScreenWatch *watch, gint64 mark);

/// Reports the paintings whose time isn't known yet, with the best estimate: for a shot that can't wait. Those that the
/// compositor has still to answer for weren't on screen at the press.
void pm_screen_watch_settle(PmScreenWatch *watch);

/// What is known about the presentation of a painting; all times are of `CLOCK_MONOTONIC` in microseconds.
typedef struct {
  /// The end of the painting.
  gint64 painted;
  /// Whether the frame clock expects no further news of this frame.
  gboolean is_complete;
  /// As reported by the compositor; 0 if it wasn't.
  gint64 presentation;
  /// The first refresh of the screen after `painted`, by the frame clock's history; 0 if it has none.
  gint64 next_refresh;
  /// The time from one refresh to the next.
  gint64 refresh_interval;
} PmPresentation;

/// The instant since which a painting is on screen, as far as it is known.
///
/// @param is_last_look whether to estimate the instant where it isn't known yet
/// @return nanoseconds of `CLOCK_MONOTONIC`, or -1 if it isn't known yet.
gint64 pm_presentation_instant(const PmPresentation *presentation, gboolean is_last_look);

/// Ends the watch; paintings on their way are no longer reported.
void pm_screen_watch_free(PmScreenWatch *watch);

#pragma clang assume_nonnull end
