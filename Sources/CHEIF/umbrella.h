// libheif: HEIC by its HEVC codecs and AVIF by its AV1 codecs; 1.15 and later.
#include <libheif/heif.h>
