// The time at which a painting appears on screen, as reported by the X server or the compositor.

#include "PmScreenWatch.h"

#include <X11/extensions/Xdamage.h>
#include <gdk/wayland/gdkwayland.h>
#include <gdk/x11/gdkx.h>
#include <string.h>

#include "PmWaylandFeedback.h"
#include "PmWidgets.h"

// The maximum number of paintings that are on their way at the same time; there is rarely more than one.
#define UNDER_WAY 16

// The number of times that the frame clock is asked about a painting, a refresh interval apart, before its time is
// estimated.
#define LOOKS 4

// The refresh interval of a screen that doesn't report one, in microseconds.
#define USUAL_INTERVAL 16667

// A painting on its way to the screen.
typedef struct {
  // -1 for none, or one that was reported.
  gint64 mark;
  // The frame clock's number of the frame, and the end of the painting in microseconds; unused with DAMAGE.
  gint64 counter;
  gint64 painted;
  int looks;
  // The question to the compositor, and its answer: 0 for none yet, -1 for a painting that was never on screen.
  PmWaylandFeedback *_Nullable feedback;
  gint64 presented;
} Painting;

struct PmScreenWatch {
  PmScreenWatchReport report;
  void *data;
  // The paintings that are on their way, oldest first.
  Painting paintings[UNDER_WAY];
  guint count;
  // The frame clock and the next look at it; NULL and 0 with DAMAGE.
  GdkFrameClock *clock;
  guint look;
  // The window under Wayland, else NULL.
  GdkSurface *surface;
  // What the compositor was asked about the painting in progress.
  PmWaylandFeedback *_Nullable question;
  // The last instant that was reported, in nanoseconds: a painting isn't on screen before the previous one.
  gint64 last_instant;
  // NULL unless an X server with DAMAGE reports the time; then the fields below are unused.
  GdkDisplay *display;
  gulong events;
  Window window;
  Damage damage;
  int damage_event;
  // The type of the event that is sent behind each painting's last request, and comes back.
  Atom end_of_painting;
};

static void drop_oldest(PmScreenWatch *watch) {
  g_clear_pointer(&watch->paintings[0].feedback, pm_wayland_feedback_free);
  watch->count--;
  memmove(watch->paintings, watch->paintings + 1, watch->count * sizeof watch->paintings[0]);
}

// The frame clock's time.

gint64 pm_presentation_instant(const PmPresentation *presentation, gboolean is_last_look) {
  // What is presented was painted before; a driver that reports otherwise isn't believed.
  if (presentation->is_complete && presentation->presentation >= presentation->painted) {
    return presentation->presentation * 1000;
  }
  if (!presentation->is_complete && !is_last_look) return -1;
  gint64 interval = presentation->refresh_interval > 0 ? presentation->refresh_interval : USUAL_INTERVAL;
  gint64 next = presentation->next_refresh;
  // A refresh further away than the next one is an extrapolation from an old history.
  gboolean is_next = next >= presentation->painted && next <= presentation->painted + interval;
  return (is_next ? next : presentation->painted + interval) * 1000;
}

static gint64 refresh_interval(PmScreenWatch *watch, gint64 after, gint64 *next) {
  gint64 interval = 0;
  gdk_frame_clock_get_refresh_info(watch->clock, after, &interval, next);
  return interval > 0 ? interval : USUAL_INTERVAL;
}

// The instant of a painting; -1 if it isn't known yet.
static gint64 instant(PmScreenWatch *watch, Painting *painting, gboolean is_last_look) {
  PmPresentation presentation = {.painted = painting->painted};
  presentation.refresh_interval = refresh_interval(watch, painting->painted, &presentation.next_refresh);
  GdkFrameTimings *timings = gdk_frame_clock_get_timings(watch->clock, painting->counter);
  // Old timings are forgotten by the clock.
  presentation.is_complete = timings == NULL || gdk_frame_timings_get_complete(timings);
  if (timings) presentation.presentation = gdk_frame_timings_get_presentation_time(timings);
  return pm_presentation_instant(&presentation, is_last_look || ++painting->looks > LOOKS);
}

static void report_known(PmScreenWatch *watch, gboolean is_last_look) {
  while (watch->count > 0) {
    Painting *oldest = &watch->paintings[0];
    // What the compositor has still to answer isn't on screen as far as anyone can know: its answers and the press come
    // in order.
    if (oldest->feedback) return;
    gint64 since = oldest->presented ? oldest->presented : instant(watch, oldest, is_last_look);
    if (oldest->presented == 0 && since < 0) return;
    gint64 mark = oldest->mark;
    drop_oldest(watch);
    if (since < 0) continue;
    watch->last_instant = MAX(watch->last_instant, since);
    watch->report(mark, watch->last_instant, watch->data);
  }
}

static gboolean look(gpointer data) {
  PmScreenWatch *watch = data;
  report_known(watch, FALSE);
  if (watch->count > 0 && !watch->paintings[0].feedback) return G_SOURCE_CONTINUE;
  watch->look = 0;
  return G_SOURCE_REMOVE;
}

static void look_later(PmScreenWatch *watch) {
  if (watch->count == 0 || watch->paintings[0].feedback || watch->look != 0) return;
  gint64 next = 0;
  gint64 interval = refresh_interval(watch, g_get_monotonic_time(), &next);
  watch->look = g_timeout_add((guint)(interval / 1000 + 1), look, watch);
}

static void clock_painted(PmScreenWatch *watch, gint64 mark) {
  PmWaylandFeedback *question = g_steal_pointer(&watch->question);
  if (mark < 0) {
    g_clear_pointer(&question, pm_wayland_feedback_free);
    return;
  }
  if (watch->count == UNDER_WAY) {
    // A compositor that answers nothing.
    g_clear_pointer(&watch->paintings[0].feedback, pm_wayland_feedback_free);
    report_known(watch, TRUE);
    if (watch->count == UNDER_WAY) drop_oldest(watch);
  }
  watch->paintings[watch->count++] = (Painting){
      .mark = mark, .counter = gdk_frame_clock_get_frame_counter(watch->clock), .painted = g_get_monotonic_time(),
      .feedback = question};
  report_known(watch, FALSE);
  look_later(watch);
}

void pm_screen_watch_settle(PmScreenWatch *watch) {
  if (watch->clock) report_known(watch, TRUE);
}

// The compositor's time.

static void compositor_answered(PmWaylandFeedback *feedback, gint64 presented, void *data) {
  PmScreenWatch *watch = data;
  if (feedback == watch->question) {
    // Before the painting's end: it can't be about this one, and is taken as no answer.
    watch->question = NULL;
    return;
  }
  for (guint index = 0; index < watch->count; index++) {
    Painting *painting = &watch->paintings[index];
    if (painting->feedback == feedback) {
      painting->feedback = NULL;
      painting->presented = presented;
      break;
    }
    // An older one that the compositor said nothing about was replaced by this one.
    if (!painting->feedback || presented < 0) continue;
    g_clear_pointer(&painting->feedback, pm_wayland_feedback_free);
    painting->presented = -1;
  }
  report_known(watch, FALSE);
  look_later(watch);
}

void pm_screen_watch_painting(PmScreenWatch *watch) {
  if (!watch->surface || watch->question) return;
  watch->question = pm_wayland_feedback_ask(watch->surface, compositor_answered, watch);
}

// The X server's time.

static void report_oldest(PmScreenWatch *watch, gint64 since) {
  if (watch->count == 0 || watch->paintings[0].mark < 0) return;
  gint64 mark = watch->paintings[0].mark;
  watch->paintings[0].mark = -1;
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
    drop_oldest(watch);
  }
  return TRUE;
}

static void watch_clock(PmScreenWatch *watch, GtkWidget *widget) {
  watch->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
}

PmScreenWatch *pm_screen_watch_new(GtkWidget *widget, PmScreenWatchReport report, void *data) {
  PmScreenWatch *watch = g_new0(PmScreenWatch, 1);
  watch->report = report;
  watch->data = data;
  GtkNative *native = gtk_widget_get_native(widget);
  GdkSurface *surface = native ? gtk_native_get_surface(native) : NULL;
  GskRenderer *renderer = native ? gtk_native_get_renderer(native) : NULL;
  int first_event, first_error;
  // What GL draws reaches the server later than what is sent behind it.
  if (!surface || !GDK_IS_X11_SURFACE(surface) || !GSK_IS_CAIRO_RENDERER(renderer)) {
    watch_clock(watch, widget);
    if (surface && GDK_IS_WAYLAND_SURFACE(surface)) {
      watch->surface = g_object_ref(surface);
      pm_wayland_feedback_prepare(gdk_surface_get_display(surface));
    }
    return watch;
  }
  GdkDisplay *display = gdk_surface_get_display(surface);
  Display *connection = gdk_x11_display_get_xdisplay(display);
  if (!XDamageQueryExtension(connection, &first_event, &first_error)) {
    watch_clock(watch, widget);
    return watch;
  }
  watch->display = g_object_ref(display);
  watch->window = gdk_x11_surface_get_xid(surface);
  watch->damage_event = first_event + XDamageNotify;
  watch->damage = XDamageCreate(connection, watch->window, XDamageReportRawRectangles);
  watch->end_of_painting = gdk_x11_get_xatom_by_name_for_display(display, "_PHOTOME_END_OF_PAINTING");
  watch->events = g_signal_connect(display, "xevent", G_CALLBACK(server_event), watch);
  return watch;
}

void pm_screen_watch_painted(PmScreenWatch *watch, gint64 mark) {
  if (watch->clock) {
    clock_painted(watch, mark);
    return;
  }
  if (watch->count == UNDER_WAY) return;
  watch->paintings[watch->count++] = (Painting){.mark = mark};
  Display *connection = gdk_x11_display_get_xdisplay(watch->display);
  XEvent end = {.xclient = {
      .type = ClientMessage, .window = watch->window, .message_type = watch->end_of_painting, .format = 32}};
  // Without a mask the event goes to the window's creator: to us.
  XSendEvent(connection, watch->window, False, NoEventMask, &end);
  XFlush(connection);
}

void pm_screen_watch_free(PmScreenWatch *watch) {
  g_clear_handle_id(&watch->look, g_source_remove);
  g_clear_pointer(&watch->question, pm_wayland_feedback_free);
  while (watch->count > 0) drop_oldest(watch);
  g_clear_object(&watch->surface);
  g_clear_object(&watch->clock);
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
