// libFuzzer as a library: the part of the compiler's runtime that makes up inputs and watches what they reach.
#include <stddef.h>
#include <stdint.h>

/// Fuzzes `one`, which returns 0, until the options in the arguments say stop. Called once, from the main thread, on which
/// `one` is called as well. Returns the exit status; ends the process when an input ends it.
/// Source: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(int *_Nonnull count, char *_Nullable *_Nonnull *_Nonnull arguments,
                        int (*_Nonnull one)(const uint8_t *_Nullable bytes, size_t count));
