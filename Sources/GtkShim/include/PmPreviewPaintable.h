// The newest frame of a preview as a GdkPaintable that draws from mapped memory and copies nothing.
#pragma once

#include <gdk/gdk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_PREVIEW_PAINTABLE (pm_preview_paintable_get_type())
#pragma clang diagnostic push
// GLib's macro makes helpers that say nothing of nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmPreviewPaintable, pm_preview_paintable, PM, PREVIEW_PAINTABLE, GObject)
#pragma clang diagnostic pop

/// A paintable without a frame: it has no size and draws nothing.
///
/// @return a reference that the caller owns.
PmPreviewPaintable *pm_preview_paintable_new(void);

/// Makes a frame the one that is drawn from now on, and tells whoever shows it.
///
/// @param pixels the top row: 8 bits each of blue, green, red and nothing a pixel. Stays valid and unchanged until
///   `release` is called.
/// @param width in pixels, above 0
/// @param height in pixels, above 0
/// @param stride bytes from one row to the next: a multiple of 4, at least `4 * width`
/// @param time of the frame in nanoseconds, handed back by `pm_preview_paintable_get_time`
/// @param owner whose memory it is
/// @param release called with `owner` on the main thread when nothing on the way to the screen refers to the frame any
///   more: GTK keeps a painted frame until the one after it has been painted. Called at once if the numbers are wrong.
/// @return whether the numbers are right and the frame was taken.
gboolean pm_preview_paintable_set_frame(
    PmPreviewPaintable *self, const void *pixels, int width, int height, int stride, gint64 time, gpointer owner,
    GDestroyNotify release);

/// Forgets the frame and tells whoever shows it.
void pm_preview_paintable_clear(PmPreviewPaintable *self);

/// Whether there is a frame.
gboolean pm_preview_paintable_has_frame(PmPreviewPaintable *self);

/// The time of the present frame, or -1 without one.
gint64 pm_preview_paintable_get_time(PmPreviewPaintable *self);

/// How many frames are alive in the process: kept by a paintable or by a render node. For tests.
int pm_preview_frames_alive(void);

#pragma clang assume_nonnull end
