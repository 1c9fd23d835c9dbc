// libimagequant, the quantizer of pngquant: palettes of histograms; 2.17 and later.
#include <libimagequant.h>
