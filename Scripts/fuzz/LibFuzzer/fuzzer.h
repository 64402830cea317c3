// The entrance to libFuzzer for a program with a main of its own (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).
#ifndef FUZZER_H
#define FUZZER_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));

#endif
