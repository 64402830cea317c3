#ifndef FARADAY_BROTLI_SHIM_H
#define FARADAY_BROTLI_SHIM_H

#include <brotli/decode.h>

#endif
