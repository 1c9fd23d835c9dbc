// A list model that knows how many items there are and which are selected, and makes the items when they are asked for.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_PLACE_LIST (pm_place_list_get_type())

/// A `GListModel` and a `GtkSelectionModel` for lists of any length: an item is an empty object that lives while a cell
/// shows it, and what it stands for is said by its place, `gtk_list_item_get_position`. GTK's own models hold an object
/// for each item, or make one for each that is selected.
#pragma clang diagnostic push
// GLib's macro makes helpers that say nothing of nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmPlaceList, pm_place_list, PM, PLACE_LIST, GObject)
#pragma clang diagnostic pop

/// An empty list. All functions are for the main thread.
///
/// @return a reference that the caller owns.
PmPlaceList *pm_place_list_new(void);

/// Exchanges a stretch and tells whoever shows the list. What was selected in it isn't any more.
///
/// @param position at most the list's length
/// @param removed how many go; those beyond the end don't count
void pm_place_list_splice(PmPlaceList *self, guint position, guint removed, guint added);

/// Makes the selection these places, and tells whoever shows it.
void pm_place_list_set_selection(PmPlaceList *self, GtkBitset *places);

/// Whether the cursor, when it is moved, leaves the selection as it is; else it takes the selection along.
void pm_place_list_set_keeps_selection(PmPlaceList *self, gboolean keeps);

#pragma clang assume_nonnull end
