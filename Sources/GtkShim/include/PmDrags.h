// What is dragged from one part of the window to another: types of GDK's own, so that a row takes what belongs there.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// The type of what is dragged when pictures are: boxed, a text.
GType pm_dragged_pictures_get_type(void);

/// The type of what is dragged when an album or a folder of albums is: boxed, a text.
GType pm_dragged_collection_get_type(void);

/// A text for a drag inside of this program. No other program sees it; what others get is in `outward`.
///
/// @param type one of the types above
/// @param outward NULL for a drag that is nobody else's business; else a reference that this call takes over
/// @return a reference that the caller owns.
GdkContentProvider *pm_content_for_drag(GType type, const char *text, GdkContentProvider *_Nullable outward);

/// The text of a value of one of the types above; belongs to the value.
const char *_Nullable pm_dragged_text(const GValue *value);

#pragma clang assume_nonnull end
