// The Wayland compositor's reports of when a surface's contents were presented.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// A question about one painting.
typedef struct PmWaylandFeedback PmWaylandFeedback;

/// The answer, on the main thread. The question is over then, and freed after the call.
///
/// @param presented nanoseconds of `CLOCK_MONOTONIC`, or -1 when the contents were replaced before they were on screen
typedef void (*PmWaylandFeedbackAnswer)(PmWaylandFeedback *feedback, gint64 presented, void *data);

/// Prepares for questions about surfaces of this display. The compositor's side of it is known somewhat later.
void pm_wayland_feedback_prepare(GdkDisplay *display);

/// Asks about the next contents of a surface: to be called while they are being drawn.
///
/// @return NULL on a display that isn't Wayland's, where the compositor doesn't tell, and until it has told for the
///   first time.
PmWaylandFeedback *_Nullable pm_wayland_feedback_ask(GdkSurface *surface, PmWaylandFeedbackAnswer answer, void *data);

/// Ends a question that wasn't answered.
void pm_wayland_feedback_free(PmWaylandFeedback *feedback);

#pragma clang assume_nonnull end
