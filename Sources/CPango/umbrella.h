// Pango on Cairo: a line of text of any script; 1.50 and later.
#include <pango/pangocairo.h>
