// A picture that moves over other widgets, from one rectangle to another.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_FLIGHT (pm_flight_get_type())

// Draws nothing until it is given a picture, takes no clicks, and asks for no room: it is to lie over everything else.
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmFlight, pm_flight, PM, FLIGHT, GtkWidget)
#pragma clang diagnostic pop

/// Draws a picture that covers a rectangle, cut to it. On the main thread.
///
/// @param paintable held until the next call; NULL draws nothing
/// @param rect in the widget's coordinates, copied
/// @param radius of the corners, in the layout's pixels
void pm_flight_show(PmFlight *self, GdkPaintable *_Nullable paintable, const graphene_rect_t *rect, float radius);

/// Registers the type for GtkBuilder, which finds types by name.
void pm_flight_ensure_type(void);

#pragma clang assume_nonnull end
