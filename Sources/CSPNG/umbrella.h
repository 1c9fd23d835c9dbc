// libspng: PNG with errors as return values, no longjmp to the caller, and limits for hostile files; 0.7 and later.
#include <spng.h>
