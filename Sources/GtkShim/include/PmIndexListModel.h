// A list model that knows how many items there are and which are selected, and makes the items when they are asked for.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_INDEX_LIST_MODEL (pm_index_list_model_get_type())

/// A `GListModel` and a `GtkSelectionModel` for lists of any length: an item is an empty object that lives while a cell
/// shows it, and what it stands for is said by its place, `gtk_list_item_get_position`. GTK's own models hold an object
/// for each item, or make one for each that is selected.
#pragma clang diagnostic push
// GLib's macro makes helpers that say nothing of nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmIndexListModel, pm_index_list_model, PM, INDEX_LIST_MODEL, GObject)
#pragma clang diagnostic pop

/// An empty list. All functions are for the main thread.
///
/// @return a reference that the caller owns.
PmIndexListModel *pm_index_list_model_new(void);

/// Exchanges a stretch and tells whoever shows the list. What was selected in it isn't any more.
///
/// @param position at most the list's length
/// @param removed how many go; those beyond the end don't count
void pm_index_list_model_splice(PmIndexListModel *self, guint position, guint removed, guint added);

/// Makes the selection these indexes, and tells whoever shows it.
void pm_index_list_model_set_selection(PmIndexListModel *self, GtkBitset *indexes);

/// Whether the cursor, when it is moved, leaves the selection as it is; else it takes the selection along.
void pm_index_list_model_set_keeps_selection(PmIndexListModel *self, gboolean keeps);

#pragma clang assume_nonnull end
