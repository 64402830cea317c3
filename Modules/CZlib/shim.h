#ifndef FARADAY_ZLIB_SHIM_H
#define FARADAY_ZLIB_SHIM_H

// zlib declares its input as const only with ZLIB_CONST.
#define ZLIB_CONST
#include <zlib.h>

#endif
