// The Wayland compositor's reports of when a surface's contents were presented.
//
// GTK asks for them itself since 4.14. Before, it takes the time at which the compositor wanted the next frame and adds a
// refresh, which no compositor promises.

#include "PmWaylandFeedback.h"

#include <gdk/wayland/gdkwayland.h>
#include <string.h>
#include <time.h>
#include <wayland-client.h>

// The protocol “presentation time”, version 1, as wayland-scanner would describe it: it is stable, and no build step is
// needed for two interfaces.

static const struct wl_interface feedback_interface;

static const struct wl_interface *no_types[7];
static const struct wl_interface *ask_types[] = {&wl_surface_interface, &feedback_interface};
static const struct wl_interface *output_types[] = {&wl_output_interface};

enum { PRESENTATION_DESTROY, PRESENTATION_FEEDBACK };

static const struct wl_message presentation_requests[] = {{"destroy", "", no_types}, {"feedback", "on", ask_types}};
static const struct wl_message presentation_events[] = {{"clock_id", "u", no_types}};
static const struct wl_interface presentation_interface = {
    "wp_presentation", 1, 2, presentation_requests, 1, presentation_events};

static const struct wl_message feedback_events[] = {
    {"sync_output", "o", output_types}, {"presented", "uuuuuuu", no_types}, {"discarded", "", no_types}};
static const struct wl_interface feedback_interface = {"wp_presentation_feedback", 1, 0, NULL, 3, feedback_events};

struct PmWaylandFeedback {
  struct wl_proxy *proxy;
  PmWaylandFeedbackAnswer answer;
  void *data;
};

// A display's side of the protocol; lives until the program ends, like its one display.
static struct {
  GdkDisplay *display;
  struct wl_proxy *presentation;
  // The clock of its answers, known when it has said so.
  clockid_t clock;
  gboolean has_clock;
  // Whether it has ever answered: wlroots' backend without a screen, before 0.17, doesn't. Until then one question is
  // open that nobody waits for.
  gboolean answers;
  PmWaylandFeedback *trial;
} compositor;

static void clock_told(void *data, struct wl_proxy *presentation, uint32_t clock) {
  (void)data, (void)presentation;
  compositor.clock = (clockid_t)clock;
  compositor.has_clock = TRUE;
}

static void (*const presentation_listener[])(void) = {(void (*)(void))clock_told};

static void global_added(
    void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
  (void)data, (void)version;
  if (compositor.presentation || strcmp(interface, presentation_interface.name) != 0) return;
  compositor.presentation = wl_registry_bind(registry, name, &presentation_interface, 1);
  wl_proxy_add_listener(compositor.presentation, (void (**)(void))presentation_listener, NULL);
}

static void global_removed(void *data, struct wl_registry *registry, uint32_t name) {
  (void)data, (void)registry, (void)name;
}

static const struct wl_registry_listener registry_listener = {global_added, global_removed};

void pm_wayland_feedback_prepare(GdkDisplay *display) {
  if (compositor.display || !GDK_IS_WAYLAND_DISPLAY(display)) return;
  compositor.display = display;
  // Its events come through the queue that GDK reads.
  struct wl_registry *registry = wl_display_get_registry(gdk_wayland_display_get_wl_display(display));
  wl_registry_add_listener(registry, &registry_listener, NULL);
}

static void answered(PmWaylandFeedback *feedback, gint64 presented) {
  feedback->answer(feedback, presented, feedback->data);
  pm_wayland_feedback_free(feedback);
}

static void output_told(void *data, struct wl_proxy *proxy, struct wl_output *output) {
  (void)data, (void)proxy, (void)output;
}

static gint64 read_clock(clockid_t clock) {
  struct timespec time = {0};
  clock_gettime(clock, &time);
  return (gint64)time.tv_sec * G_GINT64_CONSTANT(1000000000) + time.tv_nsec;
}

static void presented(
    void *data, struct wl_proxy *proxy, uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds,
    uint32_t refresh, uint32_t sequence_high, uint32_t sequence_low, uint32_t flags) {
  (void)proxy, (void)refresh, (void)sequence_high, (void)sequence_low, (void)flags;
  guint64 seconds = (guint64)seconds_high << 32 | seconds_low;
  gint64 time = (gint64)(seconds * 1000000000 + nanoseconds);
  // Within a refresh, two clocks of one machine don't drift apart.
  if (compositor.clock != CLOCK_MONOTONIC) time += read_clock(CLOCK_MONOTONIC) - read_clock(compositor.clock);
  answered(data, time);
}

static void discarded(void *data, struct wl_proxy *proxy) {
  (void)proxy;
  answered(data, -1);
}

static void (*const feedback_listener[])(void) = {
    (void (*)(void))output_told, (void (*)(void))presented, (void (*)(void))discarded};

static PmWaylandFeedback *ask(struct wl_surface *contents, PmWaylandFeedbackAnswer answer, void *data) {
  PmWaylandFeedback *feedback = g_new(PmWaylandFeedback, 1);
  struct wl_proxy *proxy = wl_proxy_marshal_constructor(
      compositor.presentation, PRESENTATION_FEEDBACK, &feedback_interface, contents, NULL);
  *feedback = (PmWaylandFeedback){proxy, answer, data};
  wl_proxy_add_listener(proxy, (void (**)(void))feedback_listener, feedback);
  return feedback;
}

static void trial_answered(PmWaylandFeedback *feedback, gint64 presented, void *data) {
  (void)feedback, (void)data;
  compositor.trial = NULL;
  compositor.answers = presented > 0;
}

PmWaylandFeedback *pm_wayland_feedback_ask(GdkSurface *surface, PmWaylandFeedbackAnswer answer, void *data) {
  if (!compositor.has_clock || gdk_surface_get_display(surface) != compositor.display) return NULL;
  struct wl_surface *contents = gdk_wayland_surface_get_wl_surface(surface);
  if (!contents) return NULL;
  if (compositor.answers) return ask(contents, answer, data);
  if (!compositor.trial) compositor.trial = ask(contents, trial_answered, NULL);
  return NULL;
}

void pm_wayland_feedback_free(PmWaylandFeedback *feedback) {
  wl_proxy_destroy(feedback->proxy);
  g_free(feedback);
}
