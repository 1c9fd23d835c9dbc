// Notifications of the desktop session: the machine goes to sleep or wakes, the screen is locked or unlocked.
#pragma once

#include <gio/gio.h>

#pragma clang assume_nonnull begin

/// Called on the main thread when one of the two has changed.
typedef void (*PmSessionWatchTell)(gboolean is_locked, gboolean is_asleep, void *_Nullable data);

/// Subscribes to logind on the system bus, in the background and until the program ends; returns at once. Where there is
/// no system bus, no logind or no session (in a container, for example), nothing is ever reported.
///
/// `is_locked` follows the session's LockedHint, which the lock screen sets, and the screen savers of the desktops on the
/// session bus (GNOME's, Cinnamon's, MATE's, and the one that KDE and others offer), some of which set no hint. The
/// signals Lock and Unlock are requests only, and not every lock screen answers the second.
///
/// @param data must stay valid
void pm_session_watch_start(PmSessionWatchTell tell, void *_Nullable data);

#pragma clang assume_nonnull end
