// libavif: image sequences; errors as return values; 0.11 and later.
#include <avif/avif.h>
