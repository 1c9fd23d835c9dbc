// Drags between parts of the window: GDK types of our own, so that each drop target accepts only what belongs there.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

/// The boxed type of a drag of pictures: a string.
GType pm_dragged_pictures_get_type(void);

/// The boxed type of a drag of an album or a folder of albums: a string.
GType pm_dragged_collection_get_type(void);

/// The content of a drag inside this program. Other programs can't see it; they get `outward`.
///
/// @param type one of the types above
/// @param outward the content for other programs, whose reference this call takes over; NULL for none
/// @return a reference that the caller owns.
GdkContentProvider *pm_content_for_drag(GType type, const char *text, GdkContentProvider *_Nullable outward);

/// The string in a value of one of the types above; owned by the value.
const char *_Nullable pm_dragged_text(const GValue *value);

#pragma clang assume_nonnull end
