// libwebp with its library for animations: errors as return values; 1.2 and later.
#include <webp/encode.h>
#include <webp/mux.h>
