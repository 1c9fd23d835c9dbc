// The X client library and its XTest extension: to look at a screen and to press what stands on it.
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
