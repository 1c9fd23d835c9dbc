// libjpeg-turbo's TurboJPEG interface: scaled decoding, encoding, no longjmp to the caller; 2.1 and later.
#include <turbojpeg.h>
