// A notification of each painting of a surface.
#pragma once

#include <gtk/gtk.h>

#include "PmMainLoop.h"

#pragma clang assume_nonnull begin

/// Calls when a surface is about to be painted, until `pm_surface_painting_remove`.
///
/// The frame clock can't tell: windows and their popovers share one, which runs on while a popover is open, although the
/// compositor has no use for another frame of the window.
///
/// @param surface isn't retained; its address is compared with that of the painted one
/// @param destroy called with `data` after the last call
/// @return an identifier for `pm_surface_painting_remove`.
gulong pm_surface_painting_add(GdkSurface *surface, PmCallback callback, gpointer data, GDestroyNotify destroy);

/// Ends the calls.
void pm_surface_painting_remove(gulong identifier);

#pragma clang assume_nonnull end
