#ifndef FARADAY_SANITIZED_MUTEX_H
#define FARADAY_SANITIZED_MUTEX_H
#include <stdint.h>
#endif
