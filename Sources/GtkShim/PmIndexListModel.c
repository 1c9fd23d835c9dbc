// A list model that stores only a count and a selection, and makes items on demand.

#include "PmIndexListModel.h"

struct _PmIndexListModel {
  GObject parent_instance;
  guint count;
  GtkBitset *selected;
  gboolean keeps_selection;
};

static GType pm_index_list_model_get_item_type(GListModel *model) {
  (void)model;
  return G_TYPE_OBJECT;
}

static guint pm_index_list_model_get_n_items(GListModel *model) { return PM_INDEX_LIST_MODEL(model)->count; }

static gpointer pm_index_list_model_get_item(GListModel *model, guint position) {
  // GTK tells items apart by their addresses: each has to be an object of its own.
  return position < PM_INDEX_LIST_MODEL(model)->count ? g_object_new(G_TYPE_OBJECT, NULL) : NULL;
}

static void list_model_init(GListModelInterface *interface) {
  interface->get_item_type = pm_index_list_model_get_item_type;
  interface->get_n_items = pm_index_list_model_get_n_items;
  interface->get_item = pm_index_list_model_get_item;
}

// Takes ownership of `indexes`.
static void replace_selection(PmIndexListModel *self, GtkBitset *indexes) {
  GtkBitset *changed = gtk_bitset_copy(self->selected);
  gtk_bitset_difference(changed, indexes);
  gtk_bitset_unref(self->selected);
  self->selected = indexes;
  if (!gtk_bitset_is_empty(changed)) {
    guint first = gtk_bitset_get_minimum(changed);
    gtk_selection_model_selection_changed(
        GTK_SELECTION_MODEL(self), first, gtk_bitset_get_maximum(changed) - first + 1);
  }
  gtk_bitset_unref(changed);
}

static gboolean pm_index_list_model_is_selected(GtkSelectionModel *model, guint position) {
  return gtk_bitset_contains(PM_INDEX_LIST_MODEL(model)->selected, position);
}

static GtkBitset *pm_index_list_model_get_selection_in_range(GtkSelectionModel *model, guint position, guint count) {
  (void)position, (void)count;
  return gtk_bitset_ref(PM_INDEX_LIST_MODEL(model)->selected);
}

static gboolean pm_index_list_model_set_selection_of_model(
    GtkSelectionModel *model, GtkBitset *selected, GtkBitset *mask) {
  PmIndexListModel *self = PM_INDEX_LIST_MODEL(model);
  GtkBitset *new = gtk_bitset_copy(self->selected);
  gtk_bitset_subtract(new, mask);
  GtkBitset *added = gtk_bitset_copy(selected);
  gtk_bitset_intersect(added, mask);
  gtk_bitset_union(new, added);
  gtk_bitset_unref(added);
  if (self->count > 0) {
    gtk_bitset_remove_range_closed(new, self->count, G_MAXUINT);
  } else {
    gtk_bitset_remove_all(new);
  }
  replace_selection(self, new);
  return TRUE;
}

static gboolean pm_index_list_model_select_item(GtkSelectionModel *model, guint position, gboolean unselect_rest) {
  PmIndexListModel *self = PM_INDEX_LIST_MODEL(model);
  if (position >= self->count || (unselect_rest && self->keeps_selection)) return FALSE;
  GtkBitset *new = unselect_rest ? gtk_bitset_new_empty() : gtk_bitset_copy(self->selected);
  gtk_bitset_add(new, position);
  replace_selection(self, new);
  return TRUE;
}

static gboolean pm_index_list_model_unselect_item(GtkSelectionModel *model, guint position) {
  PmIndexListModel *self = PM_INDEX_LIST_MODEL(model);
  GtkBitset *new = gtk_bitset_copy(self->selected);
  gtk_bitset_remove(new, position);
  replace_selection(self, new);
  return TRUE;
}

static void selection_model_init(GtkSelectionModelInterface *interface) {
  interface->is_selected = pm_index_list_model_is_selected;
  interface->get_selection_in_range = pm_index_list_model_get_selection_in_range;
  interface->set_selection = pm_index_list_model_set_selection_of_model;
  interface->select_item = pm_index_list_model_select_item;
  interface->unselect_item = pm_index_list_model_unselect_item;
}

G_DEFINE_TYPE_WITH_CODE(
    PmIndexListModel, pm_index_list_model, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init)
        G_IMPLEMENT_INTERFACE(GTK_TYPE_SELECTION_MODEL, selection_model_init))

static void pm_index_list_model_finalize(GObject *object) {
  gtk_bitset_unref(PM_INDEX_LIST_MODEL(object)->selected);
  G_OBJECT_CLASS(pm_index_list_model_parent_class)->finalize(object);
}

static void pm_index_list_model_class_init(PmIndexListModelClass *class) {
  G_OBJECT_CLASS(class)->finalize = pm_index_list_model_finalize;
}

static void pm_index_list_model_init(PmIndexListModel *self) { self->selected = gtk_bitset_new_empty(); }

PmIndexListModel *pm_index_list_model_new(void) { return g_object_new(PM_TYPE_INDEX_LIST_MODEL, NULL); }

void pm_index_list_model_splice(PmIndexListModel *self, guint position, guint removed, guint added) {
  g_return_if_fail(position <= self->count);
  removed = MIN(removed, self->count - position);
  self->count = self->count - removed + added;
  gtk_bitset_splice(self->selected, position, removed, added);
  g_list_model_items_changed(G_LIST_MODEL(self), position, removed, added);
}

void pm_index_list_model_set_selection(PmIndexListModel *self, GtkBitset *indexes) {
  replace_selection(self, gtk_bitset_copy(indexes));
}

void pm_index_list_model_set_keeps_selection(PmIndexListModel *self, gboolean keeps) { self->keeps_selection = keeps; }
