// cgif: animated GIFs, written frame by frame through a callback; 0.3 and later.
#include <cgif.h>
