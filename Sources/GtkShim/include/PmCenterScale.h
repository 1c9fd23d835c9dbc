// A slider whose value is a deviation from its middle.
#pragma once

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

#define PM_TYPE_CENTER_SCALE (pm_center_scale_get_type())

/// A horizontal `GtkScale` that is filled from 0 to its value, either way; `GtkScale` itself fills from the start or not at
/// all. Style class: `centered`.
#pragma clang diagnostic push
// GLib's macro declares helpers without nullability.
#pragma clang diagnostic ignored "-Wnullability-completeness"
G_DECLARE_FINAL_TYPE(PmCenterScale, pm_center_scale, PM, CENTER_SCALE, GtkScale)
#pragma clang diagnostic pop

/// @return a floating reference, as for all new widgets.
GtkWidget *pm_center_scale_new(double min, double max, double step);

/// Makes the type known to `.ui` files.
void pm_center_scale_ensure_type(void);

#pragma clang assume_nonnull end
