// The main dispatch queue, wake-ups from other threads, and Unix signals, as sources of GLib's main loop.
#pragma once

#include <glib.h>

#pragma clang assume_nonnull begin

/// Runs the main dispatch queue, and with it Swift's main actor, from GLib's default main loop from now on.
///
/// Called once, on the main thread, before the loop runs. GLib alone never looks at that queue.
void pm_main_queue_attach(void);

/// Runs what is waiting in the main dispatch queue and returns. For the time before the loop runs.
void pm_main_queue_drain(void);

/// The type of callbacks, which are called on the main thread.
typedef void (*PmCallback)(gpointer _Nullable data);

/// A source that calls `callback` once on the main thread after each `pm_wakeup_signal`; signals before the call are
/// merged. Attached to the default main loop.
///
/// @param priority as in GLib: a lower number comes first
/// @param destroy frees `data` when the source is destroyed
/// @return a reference that the caller releases with `pm_wakeup_free`.
GSource *pm_wakeup_new(int priority, PmCallback callback, gpointer data, GDestroyNotify destroy);

/// Requests the call. From any thread; never blocks for longer than GLib's own lock.
void pm_wakeup_signal(GSource *wakeup);

/// Ends the calls and releases the reference. From any thread. Doesn't wait for a call in progress on the main thread.
void pm_wakeup_free(GSource *wakeup);

/// Calls `callback` on the main thread each time the process receives `signal` (`SIGINT`, `SIGTERM` or `SIGHUP`).
///
/// @param destroy frees `data` when the source is removed
/// @return the source's ID, for `g_source_remove`.
guint pm_unix_signal_add(int signal, PmCallback callback, gpointer data, GDestroyNotify destroy);

#pragma clang assume_nonnull end
