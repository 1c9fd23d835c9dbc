// A GdkPaintable of a preview's newest frame, which draws from mapped memory without copying.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_PREVIEW_PAINTABLE (pm_preview_paintable_get_type())
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmPreviewPaintable, pm_preview_paintable, PM, PREVIEW_PAINTABLE, GObject)
#pragma clang diagnostic pop

/// A paintable without a frame: it has no size and draws nothing.
///
/// @return a reference that the caller owns.
PmPreviewPaintable *pm_preview_paintable_new(void);

/// Replaces the frame and notifies observers.
///
/// @param pixels the top row: 8 bits each of blue, green, red and padding. Must stay valid and unchanged until
///   `release` is called.
/// @param width in pixels, above 0
/// @param height in pixels, above 0
/// @param stride bytes from one row to the next: a multiple of 4, at least `4 * width`
/// @param time the frame's time in nanoseconds, for `pm_preview_paintable_get_time`
/// @param owner the owner of the memory
/// @param release called with `owner` on the main thread when nothing on the way to the screen refers to the frame any
///   longer: GTK keeps a painted frame until the next one has been painted. Called at once if an argument is invalid.
/// @return whether the arguments are valid and the frame was taken.
gboolean pm_preview_paintable_set_frame(
    PmPreviewPaintable *self, const void *pixels, int width, int height, int stride, gint64 time, gpointer owner,
    GDestroyNotify release);

/// Removes the frame and notifies observers.
void pm_preview_paintable_clear(PmPreviewPaintable *self);

/// Sets the size that a `GtkPicture` takes for the paintable's own, whatever the size of its frames is, in the layout's
/// pixels: on a screen of a higher scale a frame has more pixels and shall not take more room. 0 × 0 is the size of the
/// frame, as at first.
void pm_preview_paintable_set_natural_size(PmPreviewPaintable *self, int width, int height);

/// Draws frames as textures, for a GL renderer, or with cairo, for the cairo renderer: FALSE at first. Either is drawn
/// correctly by the other renderer, but at many times the cost.
void pm_preview_paintable_set_uses_texture(PmPreviewPaintable *self, gboolean uses_texture);

/// Draws frames as suits the renderer of a widget's window. Without a window, which has none before it is realized,
/// nothing changes.
void pm_preview_paintable_match_renderer(PmPreviewPaintable *self, GtkWidget *widget);

/// Whether there is a frame.
gboolean pm_preview_paintable_has_frame(PmPreviewPaintable *self);

/// The current frame's time, or -1 without one.
gint64 pm_preview_paintable_get_time(PmPreviewPaintable *self);

/// The number of frames in the process that a paintable or a render node keeps alive. For tests.
int pm_preview_frames_alive(void);

#pragma clang assume_nonnull end
