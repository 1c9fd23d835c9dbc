// Work that goes on without a window, as the desktop's portal is told of it.
#pragma once

#include "PmPortalRequest.h"

#pragma clang assume_nonnull begin

/// Asks `org.freedesktop.portal.Background` to let a sandboxed program go on without a window. Returns at once, on the main
/// thread; a desktop that has no rule about it allows it without a question.
///
/// @param reason shown with the question, where there is one
/// @param answer called once, unless the request is ended before
/// @param data passed to `answer`, and to `release` when no further call comes
PmPortalRequest *pm_portal_request_background(const char *reason, PmPortalAnswer answer, void *_Nullable data,
                                              void (*release)(void *_Nullable data));

/// Says what the program does without a window, for the desktop's list of such programs. Returns at once, and nothing comes
/// of it where the portal's interface has version 1.
///
/// @param text at most 96 characters
void pm_portal_set_background_status(const char *text);

#pragma clang assume_nonnull end
