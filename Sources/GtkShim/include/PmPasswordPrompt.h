// The system's own password prompt, through polkit on the system bus.
#pragma once

#include <gio/gio.h>

#pragma clang assume_nonnull begin

/// The answers to a prompt.
typedef enum {
  PM_PASSWORD_GRANTED,
  /// The password was wrong, or a rule of the system forbids the action.
  PM_PASSWORD_REFUSED,
  /// The user closed the prompt.
  PM_PASSWORD_DISMISSED,
  /// There is no polkit to ask.
  PM_PASSWORD_NO_AUTHORITY,
  /// polkit doesn't know the action: its policy file isn't installed.
  PM_PASSWORD_NO_ACTION,
  /// No program of this session shows prompts.
  PM_PASSWORD_NO_AGENT,
} PmPasswordAnswer;

/// Called once, on the main thread.
///
/// @param data as given
typedef void (*PmPasswordTell)(PmPasswordAnswer answer, void *_Nullable data);

/// Asks polkit whether this process may do something, which shows the session's password prompt if the action's policy
/// wants it; returns at once. The prompt belongs to the desktop: this process never sees the password.
///
/// Any process may ask about itself, but only with an empty `details`: those are for privileged programs.
///
/// Source: https://www.freedesktop.org/software/polkit/docs/latest/eggdbus-interface-org.freedesktop.PolicyKit1.Authority.html
///
/// @param action the action's id in a policy file
/// @param tell is called even when there is no system bus
void pm_password_prompt(const char *action, PmPasswordTell tell, void *_Nullable data);

#pragma clang assume_nonnull end
