// What Swift cannot say to GTK: GObject subclasses, variadic calls, and the main queue as a GLib source.
//
// Each function's contract names its thread, what it owns, and how it fails. Unless it says otherwise a function is
// called on the main thread (the one that runs GTK's loop), borrows its arguments, and cannot fail.
#pragma once

#include <adwaita.h>

#include "PmDrags.h"
#include "PmFrameWork.h"
#include "PmMainLoop.h"
#include "PmPlaceList.h"
#include "PmPreviewPaintable.h"
#include "PmPreviewView.h"
#include "PmScreenWatch.h"
#include "PmSessionWatch.h"
#include "PmThumbnail.h"
#include "PmWidgets.h"
