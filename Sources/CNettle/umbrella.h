// Nettle: SHA-256 with the processor's own instructions.
#include <nettle/sha2.h>
