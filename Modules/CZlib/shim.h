#ifndef FARADAY_ZLIB_SHIM_H
#define FARADAY_ZLIB_SHIM_H

// What is read is const, for which zlib has to be asked.
#define ZLIB_CONST
#include <zlib.h>

#endif
