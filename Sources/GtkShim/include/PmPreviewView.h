// The viewfinder: black, with the newest frame in the middle, painted pixel for pixel where it fits.
#pragma once

#include <gtk/gtk.h>

#include "PmPreviewPaintable.h"

#pragma clang assume_nonnull begin

#define PM_TYPE_PREVIEW_VIEW (pm_preview_view_get_type())

// A widget with two signals, both on the main thread:
//
// - `resized (int width, int height)`: how large the picture may be, in device pixels; 0 × 0 when nothing is on screen.
// - `shown (gint64 time)`: the frame of this time has just been painted; once a painting that has a new frame.
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

/// Makes the type known to GtkBuilder, which finds types by name.
void pm_preview_view_ensure_type(void);

#pragma clang assume_nonnull end
