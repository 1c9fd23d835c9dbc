// ZBar: QR codes in the viewfinder; 0.23 and later.
#include <zbar.h>
