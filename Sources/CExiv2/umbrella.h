// gexiv2, the GObject form of Exiv2: EXIF and XMP; 0.14 and later.
#include <gexiv2/gexiv2.h>
#if !GEXIV2_CHECK_VERSION(0, 14, 0)
#error "PhotoMe needs gexiv2 0.14 or later"
#endif
