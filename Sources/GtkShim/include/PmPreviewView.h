// A black view with the newest frame in the middle, painted pixel for pixel where it fits.
#pragma once

#include <gtk/gtk.h>

#include "PmPreviewPaintable.h"

#pragma clang assume_nonnull begin

#define PM_TYPE_PREVIEW_VIEW (pm_preview_view_get_type())

// A widget with three signals, all on the main thread:
//
// - `resized (int width, int height)`: the size available to the picture, in device pixels; 0 × 0 while unmapped.
// - `painted ()`: a new frame has just been painted.
// - `shown (gint64 time, gint64 since)`: the frame of this time is on screen since this instant of `CLOCK_MONOTONIC` in
//   nanoseconds, which can be compared with `pm_event_time_to_monotonic`. Once per frame, in order; some time after that
//   instant. See PmScreenWatch.h for where the instant comes from.
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmPreviewView, pm_preview_view, PM, PREVIEW_VIEW, GtkWidget)
#pragma clang diagnostic pop

/// A view with a paintable of its own.
///
/// @return a floating reference, as for all new widgets.
GtkWidget *pm_preview_view_new(void);

/// The paintable; owned by the view.
PmPreviewPaintable *pm_preview_view_get_paintable(PmPreviewView *self);

/// Emits `shown` for the frames that were painted and whose time isn't known yet, with the best estimate: before a shot
/// is chosen from what is on screen.
void pm_preview_view_settle(PmPreviewView *self);

/// Darkens the picture for an instant, like a shutter. Frames continue to be painted below.
void pm_preview_view_blink(PmPreviewView *self);

/// Dims the picture: it is the last one of a camera that is being exchanged for another.
void pm_preview_view_set_dimmed(PmPreviewView *self, gboolean is_dimmed);

/// Zooms into the picture, as specified by `ViewerZoom`.
///
/// @param scale 1 fits the whole picture
/// @param center_x the picture's point in the middle of the view, from 0 to 1; likewise `center_y`
void pm_preview_view_set_zoom(PmPreviewView *self, double scale, double center_x, double center_y);

/// The picture's rectangle in the widget's coordinates.
///
/// @return whether there is a frame; without one `rect` isn't written.
gboolean pm_preview_view_get_picture_rect(PmPreviewView *self, graphene_rect_t *rect);

/// Registers the type for GtkBuilder, which finds types by name.
void pm_preview_view_ensure_type(void);

#pragma clang assume_nonnull end
