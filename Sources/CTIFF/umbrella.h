// libtiff: pictures of scanners and photo editors; 4.5 and later.
#include <tiffio.h>
