// The time at which a painting appears on screen, as reported by the X server.

#include "PmScreenWatch.h"

#include <X11/extensions/Xdamage.h>
#include <gdk/x11/gdkx.h>
#include <string.h>

#include "PmWidgets.h"

// The maximum number of paintings that are on their way at the same time; there is rarely more than one.
#define UNDER_WAY 16

struct PmScreenWatch {
  PmScreenWatchReport report;
  void *data;
  // NULL unless an X server with DAMAGE shows the window; then the fields below are unused.
  GdkDisplay *display;
  gulong events;
  Window window;
  Damage damage;
  int damage_event;
  // The type of the event that is sent behind each painting's last request, and comes back.
  Atom end_of_painting;
  // The marks of paintings that are on their way, oldest first; -1 for none, or one that was reported.
  gint64 marks[UNDER_WAY];
  guint count;
};

static void report_oldest(PmScreenWatch *watch, gint64 since) {
  if (watch->count == 0 || watch->marks[0] < 0) return;
  gint64 mark = watch->marks[0];
  watch->marks[0] = -1;
  watch->report(mark, since, watch->data);
}

// All damage between the end of one painting and the end of the next belongs to the latter.
static gboolean server_event(GdkDisplay *display, gpointer event, gpointer data) {
  (void)display;
  PmScreenWatch *watch = data;
  const XEvent *x = event;
  if (x->type == watch->damage_event) {
    const XDamageNotifyEvent *damage = event;
    if (damage->damage != watch->damage) return FALSE;
    report_oldest(watch, pm_event_time_to_monotonic((guint32)damage->timestamp));
    return TRUE;
  }
  if (x->type != ClientMessage || x->xclient.message_type != watch->end_of_painting) return FALSE;
  if (watch->count > 0) {
    // A painting without damage: the window is covered, or the picture didn't change.
    report_oldest(watch, g_get_monotonic_time() * 1000);
    watch->count--;
    memmove(watch->marks, watch->marks + 1, watch->count * sizeof watch->marks[0]);
  }
  return TRUE;
}

PmScreenWatch *pm_screen_watch_new(GtkWidget *widget, PmScreenWatchReport report, void *data) {
  PmScreenWatch *watch = g_new0(PmScreenWatch, 1);
  watch->report = report;
  watch->data = data;
  GtkNative *native = gtk_widget_get_native(widget);
  GdkSurface *surface = native ? gtk_native_get_surface(native) : NULL;
  int first_event, first_error;
  if (!surface || !GDK_IS_X11_SURFACE(surface)) return watch;
  GdkDisplay *display = gdk_surface_get_display(surface);
  Display *connection = gdk_x11_display_get_xdisplay(display);
  if (!XDamageQueryExtension(connection, &first_event, &first_error)) return watch;
  watch->display = g_object_ref(display);
  watch->window = gdk_x11_surface_get_xid(surface);
  watch->damage_event = first_event + XDamageNotify;
  watch->damage = XDamageCreate(connection, watch->window, XDamageReportRawRectangles);
  watch->end_of_painting = gdk_x11_get_xatom_by_name_for_display(display, "_PHOTOME_END_OF_PAINTING");
  watch->events = g_signal_connect(display, "xevent", G_CALLBACK(server_event), watch);
  return watch;
}

void pm_screen_watch_painted(PmScreenWatch *watch, gint64 mark) {
  if (!watch->display) {
    if (mark >= 0) watch->report(mark, g_get_monotonic_time() * 1000, watch->data);
    return;
  }
  if (watch->count == UNDER_WAY) return;
  watch->marks[watch->count++] = mark;
  Display *connection = gdk_x11_display_get_xdisplay(watch->display);
  XEvent end = {.xclient = {
      .type = ClientMessage, .window = watch->window, .message_type = watch->end_of_painting, .format = 32}};
  // Without a mask the event goes to the window's creator: to us.
  XSendEvent(connection, watch->window, False, NoEventMask, &end);
  XFlush(connection);
}

void pm_screen_watch_free(PmScreenWatch *watch) {
  if (watch->display) {
    g_clear_signal_handler(&watch->events, watch->display);
    // The window may be destroyed already, and its damage with it.
    gdk_x11_display_error_trap_push(watch->display);
    XDamageDestroy(gdk_x11_display_get_xdisplay(watch->display), watch->damage);
    gdk_x11_display_error_trap_pop_ignored(watch->display);
    g_clear_object(&watch->display);
  }
  g_free(watch);
}
