// A list model that stores only a count and a selection, and makes items on demand.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_INDEX_LIST_MODEL (pm_index_list_model_get_type())

/// A `GListModel` and `GtkSelectionModel` for lists of any length. An item is an empty object that lives while a cell
/// shows it; its meaning is its index, `gtk_list_item_get_position`. GTK's own models keep an object for each item, or
/// make one for each selected item.
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmIndexListModel, pm_index_list_model, PM, INDEX_LIST_MODEL, GObject)
#pragma clang diagnostic pop

/// An empty list. All functions are for the main thread.
///
/// @return a reference that the caller owns.
PmIndexListModel *pm_index_list_model_new(void);

/// Replaces a range and notifies observers. The new items aren't selected.
///
/// @param position at most the list's length
/// @param removed the number of removed items; clamped to the end of the list
void pm_index_list_model_splice(PmIndexListModel *self, guint position, guint removed, guint added);

/// Replaces the selection and notifies observers.
void pm_index_list_model_set_selection(PmIndexListModel *self, GtkBitset *indexes);

/// Whether moving the cursor keeps the selection; otherwise the selection follows the cursor.
void pm_index_list_model_set_keeps_selection(PmIndexListModel *self, gboolean keeps);

#pragma clang assume_nonnull end
