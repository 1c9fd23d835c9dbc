// The place of the computer, from GeoClue or from the desktop's portal.
#pragma once

#include <gio/gio.h>

#pragma clang assume_nonnull begin

typedef enum {
  PM_LOCATION_FOUND,
  /// The person, or the administrator, doesn't allow it.
  PM_LOCATION_REFUSED,
  /// Nothing on this computer tells places, or it is broken.
  PM_LOCATION_UNAVAILABLE,
} PmLocationState;

typedef struct {
  PmLocationState state;
  /// In degrees of WGS 84; only where found.
  double latitude, longitude;
  /// The radius of the circle around it, in meters; 0 where it isn't known.
  double accuracy;
} PmLocationNotice;

/// Called on the main thread for each place that is found, or once with the reason that there will be none.
typedef void (*PmLocationTell)(PmLocationNotice notice, void *_Nullable data);

/// A search for the place, which goes on until it is stopped.
typedef struct _PmLocation PmLocation;

/// Begins to search, in the background; returns at once. GeoClue is asked on the system bus (its own dialog names PhotoMe
/// the first time); where GeoClue isn't installed, and in a sandbox, the portal on the session bus.
///
/// @param desktop_id the program's, by which permissions are remembered
/// @param uses_portal whether the portal alone is asked
/// @param data passed to `tell`, and to `release` when no further call comes
PmLocation *pm_location_start(const char *desktop_id, gboolean uses_portal, PmLocationTell tell, void *_Nullable data,
                              void (*release)(void *_Nullable data));

/// Ends a search. Nothing is told afterwards, and the pointer is no longer valid.
void pm_location_stop(PmLocation *location);

#pragma clang assume_nonnull end
