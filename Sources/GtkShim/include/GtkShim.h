// The part of GTK that Swift can't express: GObject subclasses, variadic calls, and the main queue as a GLib source.
//
// Each function's contract states its thread, ownership and failures. Unless stated otherwise, a function is called on
// the main thread (the one that runs GTK's loop), borrows its arguments, and can't fail.
#pragma once

#include <adwaita.h>

#include "PmCameraPortal.h"
#include "PmCenterScale.h"
#include "PmDrags.h"
#include "PmFlight.h"
#include "PmFocusGroup.h"
#include "PmFrameWork.h"
#include "PmMainLoop.h"
#include "PmPasswordPrompt.h"
#include "PmPortalBackground.h"
#include "PmPortalFiles.h"
#include "PmPortalRequest.h"
#include "PmIndexListModel.h"
#include "PmLocation.h"
#include "PmPreviewPaintable.h"
#include "PmPreviewView.h"
#include "PmScreenWatch.h"
#include "PmSessionWatch.h"
#include "PmSleepDelay.h"
#include "PmSurfacePainting.h"
#include "PmThumbnail.h"
#include "PmWidgets.h"
