// XNNPACK: neural networks on the processor, from a graph of operations.
#include <xnnpack.h>
