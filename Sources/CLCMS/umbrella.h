// Little CMS: what a picture's values are on a screen; 2.14 and later.
#include <lcms2.h>

// Layouts of pixels, which Little CMS computes by macros that Swift can't read.
static const cmsUInt32Number lcms_bgrx = TYPE_BGRA_8;
static const cmsUInt32Number lcms_cmyk = TYPE_CMYK_8;
static const cmsUInt32Number lcms_cmyk_inverted = TYPE_CMYK_8_REV;
