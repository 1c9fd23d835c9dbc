// giflib: the frames of GIFs; 5.2 and later.
#include <gif_lib.h>
