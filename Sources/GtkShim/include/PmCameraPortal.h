// The desktop's camera portal: permission to use cameras, and the PipeWire that shows them.
#pragma once

#include <gio/gio.h>

#pragma clang assume_nonnull begin

typedef enum {
  PM_CAMERA_GRANTED,
  /// A person, the desktop's privacy settings or an administrator doesn't allow it.
  PM_CAMERA_REFUSED,
  /// The question ended without an answer.
  PM_CAMERA_CLOSED,
  /// Nobody on the session bus is the portal.
  PM_CAMERA_NO_PORTAL,
  /// The portal has no cameras.
  PM_CAMERA_NO_CAMERAS,
  /// Anything else; the message says what.
  PM_CAMERA_FAILED,
} PmCameraState;

/// An answer, on the main thread. `message` is the portal's own text, for the failures.
typedef void (*PmCameraAnswer)(PmCameraState state, const char *_Nullable message, void *_Nullable data);

/// A question whether the program may use cameras.
typedef struct _PmCameraQuestion PmCameraQuestion;

/// Asks `org.freedesktop.portal.Camera` for permission; returns at once. Where the desktop remembers an answer it comes
/// without a dialog. There is no time limit: a person may take theirs. On the main thread.
///
/// @param answer called once, unless the question is ended before
/// @param data passed to `answer`, and to `release` when no further call comes
PmCameraQuestion *pm_camera_question_ask(PmCameraAnswer answer, void *_Nullable data,
                                         void (*release)(void *_Nullable data));

/// Ends a question, and takes its dialog from the screen where there is no answer yet. Nothing is called afterwards, and
/// the pointer is no longer valid. On the main thread.
void pm_camera_question_end(PmCameraQuestion *question);

/// The answer to `pm_camera_remote_open`, on the main thread: `descriptor` is a socket of PipeWire's that the callee closes,
/// or -1 where `state` isn't `PM_CAMERA_GRANTED`.
typedef void (*PmCameraRemote)(PmCameraState state, int descriptor, const char *_Nullable message, void *_Nullable data);

/// Opens a connection to PipeWire that shows the permitted cameras; asks nobody. Each connection needs one of its own. On the
/// main thread; returns at once.
///
/// @param opened called once, after ten seconds at most
void pm_camera_remote_open(PmCameraRemote opened, void *_Nullable data);

#pragma clang assume_nonnull end
