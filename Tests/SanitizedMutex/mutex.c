#define _GNU_SOURCE
#include "mutex.h"

// The thread sanitizer does not see that Swift's Mutex synchronises when one thread has had to wait for another: those paths
// are in the standard library, which is not instrumented. These stand before them and say so. Without the sanitizer there is
// nothing here.
#if defined(__has_feature) && defined(__linux__)
#if __has_feature(thread_sanitizer)
#include <dlfcn.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context)) void *mutex

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static __attribute__((swiftcall)) void (*lock_slow)(uint32_t thread, SELF);
static __attribute__((swiftcall)) void (*unlock_slow)(SELF);

__attribute__((constructor)) static void find_originals(void) {
  lock_slow = dlsym(RTLD_NEXT, LOCK_SLOW);
  unlock_slow = dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

__attribute__((swiftcall)) void faraday_lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void faraday_lock_slow(uint32_t thread, SELF) {
  lock_slow(thread, mutex);
  __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void faraday_unlock_slow(SELF) __asm__(UNLOCK_SLOW);
__attribute__((swiftcall)) void faraday_unlock_slow(SELF) {
  __tsan_release(mutex);
  unlock_slow(mutex);
}
#endif
#endif
