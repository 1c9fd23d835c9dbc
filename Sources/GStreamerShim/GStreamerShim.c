#include "GStreamerShim.h"
