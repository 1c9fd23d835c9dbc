// The desktop's camera portal: permission to use cameras, and the PipeWire that shows them.
#pragma once

#include "PmPortalRequest.h"

#pragma clang assume_nonnull begin

/// Asks `org.freedesktop.portal.Camera` for permission; returns at once. Where the desktop remembers an answer it comes
/// without a dialog. The portal takes no parent window for it. On the main thread.
///
/// @param answer called once, unless the request is ended before; `PM_PORTAL_UNSUPPORTED` is a portal without cameras
/// @param data passed to `answer`, and to `release` when no further call comes
PmPortalRequest *pm_camera_permission_ask(PmPortalAnswer answer, void *_Nullable data,
                                          void (*release)(void *_Nullable data));

/// The answer to `pm_camera_remote_open`, on the main thread: `descriptor` is a socket of PipeWire's that the callee closes,
/// or -1 where `state` isn't `PM_PORTAL_DONE`.
typedef void (*PmCameraRemote)(PmPortalState state, int descriptor, const char *_Nullable message, void *_Nullable data);

/// Opens a connection to PipeWire that shows the permitted cameras; asks nobody. Each connection needs one of its own. On the
/// main thread; returns at once.
///
/// @param opened called once, after ten seconds at most
void pm_camera_remote_open(PmCameraRemote opened, void *_Nullable data);

#pragma clang assume_nonnull end
