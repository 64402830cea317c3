#include "allocations.h"

#include <errno.h>

#ifdef __GLIBC__
#include <stdatomic.h>
#include <stddef.h>

// What the program defines comes before what the C library does, in the libraries that it loads too.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long count;
static void add(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) { add(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { add(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { add(); return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { add(); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  add();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

long allocations(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
#else
long allocations(void) { return -1; }
#endif
