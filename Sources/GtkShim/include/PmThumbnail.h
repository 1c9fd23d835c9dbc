// A cell of the library's grid as a single widget that paints everything itself.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_THUMBNAIL (pm_thumbnail_get_type())

/// A square picture with marks. GTK 4.8 keeps hundreds of a grid's cells alive and lays all of them out at each scroll
/// step; a cell of boxes, labels and images would cost ten times as much. CSS name: `thumbnail`. It has no accessible
/// name: the cell's row does.
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmThumbnail, pm_thumbnail, PM, THUMBNAIL, GtkWidget)
#pragma clang diagnostic pop

/// The marks drawn over the picture.
typedef enum {
  PM_THUMBNAIL_LIVE = 1 << 0,
  PM_THUMBNAIL_FAVORITE = 1 << 1,
  /// A video: a triangle beside its duration.
  PM_THUMBNAIL_MOVIE = 1 << 2,
  /// No picture is available.
  PM_THUMBNAIL_BROKEN = 1 << 3,
  /// A ring to select the picture.
  PM_THUMBNAIL_SELECTABLE = 1 << 4,
  /// The ring is checked.
  PM_THUMBNAIL_SELECTED = 1 << 5,
  /// A burst: a stack of pictures beside their number.
  PM_THUMBNAIL_BURST = 1 << 6,
} PmThumbnailMarks;

/// All functions are for the main thread.
///
/// @param side the minimum width, in pixels; the height follows the width
/// @return a floating reference, as for all new widgets.
GtkWidget *pm_thumbnail_new(int side);

/// Shows a picture, cropped to the square; `NULL` shows none.
void pm_thumbnail_set_texture(PmThumbnail *self, GdkTexture *_Nullable texture);

/// The current picture; owned by the widget.
GdkTexture *_Nullable pm_thumbnail_get_texture(PmThumbnail *self);

void pm_thumbnail_set_marks(PmThumbnail *self, PmThumbnailMarks marks);

/// The current marks.
PmThumbnailMarks pm_thumbnail_get_marks(PmThumbnail *self);

/// Shows how much of the picture's work is done, as a ring in its middle.
///
/// @param fraction 0 to 1; a negative one shows no ring
void pm_thumbnail_set_progress(PmThumbnail *self, double fraction);

/// @param day shown at the top, where a day begins; `NULL` for none
/// @param length shown at the bottom; `NULL` for none
void pm_thumbnail_set_texts(PmThumbnail *self, const char *_Nullable day, const char *_Nullable length);

#pragma clang assume_nonnull end
