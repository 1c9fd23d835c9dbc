// libwebp with its libraries for animations: errors as return values; 1.2 and later.
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>
