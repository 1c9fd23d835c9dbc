// The main dispatch queue, wake-ups from other threads, and Unix signals, as sources of GLib's main loop.
#pragma once

#include <glib.h>

#pragma clang assume_nonnull begin

/// Runs the main dispatch queue (and with it Swift's main actor) from GLib's default main loop, from now on.
///
/// Called once, on the main thread, before the loop runs. GLib alone never looks at that queue.
void pm_main_queue_attach(void);

/// Runs what waits in the main dispatch queue now and returns. For the moments before the loop runs.
void pm_main_queue_drain(void);

/// What `pm_wakeup_new` and the signal watch call, on the main thread.
typedef void (*PmCallback)(gpointer _Nullable data);

/// A source that calls `callback` once on the main thread after each `pm_wakeup_signal`; signals that come before the
/// call are one. Attached to the default main loop.
///
/// @param priority GLib's: the lower, the sooner.
/// @param destroy frees `data`, when the source is gone.
/// @return a reference that the caller gives back with `pm_wakeup_free`.
GSource *pm_wakeup_new(int priority, PmCallback callback, gpointer data, GDestroyNotify destroy);

/// Asks for the call. From any thread; never blocks for longer than GLib's own lock.
void pm_wakeup_signal(GSource *wakeup);

/// Ends the calls and gives the reference back. From any thread. A call under way on the main thread is not waited for.
void pm_wakeup_free(GSource *wakeup);

/// Calls `callback` on the main thread each time the process receives `signal` (`SIGINT`, `SIGTERM` or `SIGHUP`).
///
/// @param destroy frees `data`, when the watch is removed.
/// @return the source's id, for `g_source_remove`.
guint pm_unix_signal_add(int signal, PmCallback callback, gpointer data, GDestroyNotify destroy);

#pragma clang assume_nonnull end
