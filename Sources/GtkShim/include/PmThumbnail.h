// One cell of the grid of pictures, as a single widget that paints everything itself.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_THUMBNAIL (pm_thumbnail_get_type())

/// A square picture with its marks. GTK 4.8 keeps some hundred cells of a grid alive and lays all of them out at each
/// step of a scroll; a cell that were made of boxes, labels and images would cost ten times as much. CSS name:
/// `thumbnail`. It says nothing to a screen reader: the cell's row does.
#pragma clang diagnostic push
// GLib's macro makes helpers that say nothing of nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmThumbnail, pm_thumbnail, PM, THUMBNAIL, GtkWidget)
#pragma clang diagnostic pop

/// What is drawn over the picture.
typedef enum {
  PM_THUMBNAIL_LIVE = 1 << 0,
  PM_THUMBNAIL_FAVORITE = 1 << 1,
  /// A movie: a triangle beside its length.
  PM_THUMBNAIL_MOVIE = 1 << 2,
  /// There is no picture to be had.
  PM_THUMBNAIL_BROKEN = 1 << 3,
  /// A ring that can be ticked.
  PM_THUMBNAIL_SELECTABLE = 1 << 4,
  /// The ring is ticked.
  PM_THUMBNAIL_SELECTED = 1 << 5,
} PmThumbnailMarks;

/// All functions are for the main thread.
///
/// @param side the least width, in pixels; the height follows the width
/// @return a floating reference, as widgets are born.
GtkWidget *pm_thumbnail_new(int side);

/// Shows a picture, cut to the square; `NULL` shows none.
void pm_thumbnail_set_texture(PmThumbnail *self, GdkTexture *_Nullable texture);

/// What is shown now; belongs to the widget.
GdkTexture *_Nullable pm_thumbnail_get_texture(PmThumbnail *self);

void pm_thumbnail_set_marks(PmThumbnail *self, PmThumbnailMarks marks);

/// What is drawn over it now.
PmThumbnailMarks pm_thumbnail_get_marks(PmThumbnail *self);

/// @param day written at the top, where a day begins; `NULL` for none
/// @param length written at the bottom; `NULL` for none
void pm_thumbnail_set_texts(PmThumbnail *self, const char *_Nullable day, const char *_Nullable length);

#pragma clang assume_nonnull end
