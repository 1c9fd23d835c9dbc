// Measurement of the main thread's work per frame of a window, and of PhotoMe's own share of it.

#include "PmFrameWork.h"

#include <time.h>

// A time, or a duration, on two clocks: processor time and elapsed time.
typedef struct {
  gint64 work;
  gint64 time;
} Moment;

static gboolean is_watching;
static guint depth;
static Moment own, own_began;
static gint64 frame_began;
static PmFrameWork counted;

static gint64 read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (gint64)time.tv_sec * G_GINT64_CONSTANT(1000000000) + time.tv_nsec;
}

static Moment now(void) { return (Moment){read_clock(CLOCK_THREAD_CPUTIME_ID), read_clock(CLOCK_MONOTONIC)}; }

void pm_own_work_begin(void) {
  if (is_watching && depth++ == 0) own_began = now();
}

void pm_own_work_end(void) {
  // Watching may have started inside a pair of calls.
  if (!is_watching || depth == 0 || --depth > 0) return;
  Moment end = now();
  own.work += end.work - own_began.work;
  own.time += end.time - own_began.time;
}

static void frame_begins(GdkFrameClock *clock, gpointer data) {
  (void)clock, (void)data;
  frame_began = read_clock(CLOCK_MONOTONIC);
}

static void frame_ended(GdkFrameClock *clock, gpointer data) {
  (void)clock, (void)data;
  counted.frames++;
  counted.longest_own_work = MAX(counted.longest_own_work, own.work);
  counted.longest_own_time = MAX(counted.longest_own_time, own.time);
  counted.longest_frame_time = MAX(counted.longest_frame_time, read_clock(CLOCK_MONOTONIC) - frame_began);
  own = (Moment){0};
}

void pm_frame_work_watch(GtkWidget *widget) {
  GdkFrameClock *clock = gtk_widget_get_frame_clock(widget);
  if (!clock || is_watching) return;
  is_watching = TRUE;
  frame_began = read_clock(CLOCK_MONOTONIC);
  // GDK begins and ends every frame with these two signals.
  g_signal_connect(clock, "before-paint", G_CALLBACK(frame_begins), NULL);
  g_signal_connect_after(clock, "after-paint", G_CALLBACK(frame_ended), NULL);
}

PmFrameWork pm_frame_work_take(void) {
  PmFrameWork taken = counted;
  counted = (PmFrameWork){0};
  return taken;
}
