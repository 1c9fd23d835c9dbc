// Delays of the machine's sleep, granted by logind: the time to finish what is under way.
#pragma once

#include <gio/gio.h>

#pragma clang assume_nonnull begin

/// Called on the main thread, once.
///
/// @param descriptor the delay, which lasts until it is closed; the callee owns it. -1 where there is none: no system bus,
///   no logind, or it refused.
typedef void (*PmSleepDelayTell)(int descriptor, void *_Nullable data);

/// Asks logind to delay the machine's sleep; returns at once. On the main thread. logind waits for the descriptor to be
/// closed after it has announced the sleep, up to its own limit (InhibitDelayMaxSec, 5 seconds).
///
/// @param reason why, in a few words; shown by `systemd-inhibit --list`
/// @param data must stay valid until `tell` is called
void pm_sleep_delay_ask(const char *reason, PmSleepDelayTell tell, void *_Nullable data);

#pragma clang assume_nonnull end
