// The viewfinder: black, with the newest frame in the middle, painted pixel for pixel where it fits.
#pragma once

#include <gtk/gtk.h>

#include "PmPreviewPaintable.h"

#pragma clang assume_nonnull begin

#define PM_TYPE_PREVIEW_VIEW (pm_preview_view_get_type())

// A widget with three signals, all on the main thread:
//
// - `resized (int width, int height)`: how large the picture may be, in device pixels; 0 × 0 when nothing is on screen.
// - `painted ()`: a new frame has just been painted.
// - `shown (gint64 time, gint64 since)`: the frame of this time is on the screen since this instant of `CLOCK_MONOTONIC` in
//   nanoseconds, which compares with `pm_event_time_to_monotonic`. Once a frame, in their order. Of an X server the instant
//   is the server's own; elsewhere it is that of the painting.
#pragma clang diagnostic push
// GLib's macro makes helpers that say nothing of nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmPreviewView, pm_preview_view, PM, PREVIEW_VIEW, GtkWidget)
#pragma clang diagnostic pop

/// A view with a paintable of its own.
///
/// @return a floating reference, as widgets are born.
GtkWidget *pm_preview_view_new(void);

/// What the view shows. Belongs to the view.
PmPreviewPaintable *pm_preview_view_get_paintable(PmPreviewView *self);

/// Darkens the picture for an instant, as a shutter does. Paintings of frames go on below it.
void pm_preview_view_blink(PmPreviewView *self);

/// Draws a part of the picture larger, as `ViewerZoom` says it.
///
/// @param scale 1 shows all of the picture
/// @param center_x the picture's point in the middle of the view, from 0 to 1; likewise `center_y`
void pm_preview_view_set_zoom(PmPreviewView *self, double scale, double center_x, double center_y);

/// Where the frame is drawn, in the widget's coordinates.
///
/// @return whether there is a frame; without one nothing is written.
gboolean pm_preview_view_get_place(PmPreviewView *self, graphene_rect_t *place);

/// Makes the type known to GtkBuilder, which finds types by name.
void pm_preview_view_ensure_type(void);

#pragma clang assume_nonnull end
