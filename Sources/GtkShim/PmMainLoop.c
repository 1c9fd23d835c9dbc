// The main dispatch queue, wake-ups from other threads, and Unix signals, as sources of GLib's main loop.

#include "PmMainLoop.h"

#include "PmFrameWork.h"

#include <glib-unix.h>
#include <unistd.h>

// libdispatch's entry points for foreign main loops. The Swift toolchain's libdispatch exports them, but no header
// does.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Nullable message);

// Reads the queue's eventfd. Without the read the descriptor stays ready, and the loop spins at full load.
static void rewind_handle(int handle) {
  guint64 count;
  while (read(handle, &count, sizeof count) < 0 && errno == EINTR) {
  }
}

static gboolean main_queue_ready(gint handle, GIOCondition condition, gpointer data) {
  (void)condition, (void)data;
  // Read first, then work: what is queued during the work makes the descriptor ready again.
  rewind_handle(handle);
  pm_own_work_begin();
  _dispatch_main_queue_callback_4CF(NULL);
  pm_own_work_end();
  return G_SOURCE_CONTINUE;
}

void pm_main_queue_attach(void) {
  g_unix_fd_add_full(
      G_PRIORITY_DEFAULT, _dispatch_get_main_queue_handle_4CF(), G_IO_IN, main_queue_ready, NULL, NULL);
}

void pm_main_queue_drain(void) { _dispatch_main_queue_callback_4CF(NULL); }

// A wake-up is a source that is ready whenever its ready time is 0, which any thread may set.

static gboolean wakeup_dispatch(GSource *source, GSourceFunc callback, gpointer data) {
  g_source_set_ready_time(source, -1);
  ((PmCallback)(void (*)(void))callback)(data);
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs wakeup_functions = {.dispatch = wakeup_dispatch};

GSource *pm_wakeup_new(int priority, PmCallback callback, gpointer data, GDestroyNotify destroy) {
  GSource *source = g_source_new(&wakeup_functions, sizeof(GSource));
  g_source_set_static_name(source, "wake-up");
  g_source_set_priority(source, priority);
  g_source_set_callback(source, (GSourceFunc)(void (*)(void))callback, data, destroy);
  g_source_attach(source, NULL);
  return source;
}

void pm_wakeup_signal(GSource *wakeup) { g_source_set_ready_time(wakeup, 0); }

void pm_wakeup_free(GSource *wakeup) {
  g_source_destroy(wakeup);
  g_source_unref(wakeup);
}

// GLib's signal source wants a callback that returns whether to continue; ours always does.

typedef struct {
  PmCallback callback;
  gpointer data;
  GDestroyNotify destroy;
} SignalWatch;

static gboolean signal_received(gpointer data) {
  SignalWatch *watch = data;
  watch->callback(watch->data);
  return G_SOURCE_CONTINUE;
}

static void signal_watch_free(gpointer data) {
  SignalWatch *watch = data;
  watch->destroy(watch->data);
  g_free(watch);
}

guint pm_unix_signal_add(int signal, PmCallback callback, gpointer data, GDestroyNotify destroy) {
  SignalWatch *watch = g_new0(SignalWatch, 1);
  *watch = (SignalWatch){callback, data, destroy};
  return g_unix_signal_add_full(G_PRIORITY_DEFAULT, signal, signal_received, watch, signal_watch_free);
}
