// gettext, which is part of the GNU C library: translated messages, and the locale's names. Swift's Glibc module leaves it out.
#include <libintl.h>
#include <locale.h>
