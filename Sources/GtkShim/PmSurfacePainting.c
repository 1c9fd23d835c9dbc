// A notification of each painting of a surface.

#include "PmSurfacePainting.h"

typedef struct {
  const GdkSurface *surface;
  PmCallback callback;
  gpointer data;
  GDestroyNotify destroy;
} Watch;

static guint render_signal(void) { return g_signal_lookup("render", GDK_TYPE_SURFACE); }

// GTK's own handler of the signal ends its emission, so one that is connected later isn't called. A hook comes first.
static gboolean is_rendered(
    GSignalInvocationHint *hint, guint count, const GValue *parameters, gpointer data) {
  (void)hint, (void)count;
  const Watch *watch = data;
  if (g_value_get_object(&parameters[0]) == watch->surface) watch->callback(watch->data);
  return TRUE;
}

static void watch_free(gpointer data) {
  Watch *watch = data;
  watch->destroy(watch->data);
  g_free(watch);
}

gulong pm_surface_painting_add(GdkSurface *surface, PmCallback callback, gpointer data, GDestroyNotify destroy) {
  Watch *watch = g_new(Watch, 1);
  *watch = (Watch){surface, callback, data, destroy};
  return g_signal_add_emission_hook(render_signal(), 0, is_rendered, watch, watch_free);
}

void pm_surface_painting_remove(gulong identifier) { g_signal_remove_emission_hook(render_signal(), identifier); }
