#ifndef FARADAY_LIBRARIES_SHIM_H
#define FARADAY_LIBRARIES_SHIM_H

// Functions of libbrotlidec, libzstd and libcrypto, looked up at run time. A program needs no such library to be built or to start.
// At the end, a system call that Swift cannot make: `syscall` is variadic, and `preadv2` is declared only with `_GNU_SOURCE`.
//
// The declarations are copies, so each must stay true for every library with the file name:
// - libbrotlidec.so.1: these functions and the values of their enumerations are unchanged since 1.0.0 (2016). The decoder is
//   opaque. The parameters are pointers, sizes and ints.
// - libzstd.so.1: these functions, and ZSTD_d_windowLogMax, are in zstd's stable API since 1.4.0 (2019), which only grows within
//   the same file name. The decoder is opaque, and a caller allocates both buffer structs, so their layout is fixed too.
// - libcrypto of OpenSSL: these functions are in every version since 0.9.8 (2005), unless it was built without deprecated functions.
//   A caller allocates the state, which has no pointers: 112 bytes for SHA-256, and 216 for SHA-512.

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __linux__
#include <errno.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#endif

typedef struct faraday_brotli_decoder faraday_brotli_decoder;

typedef struct {
  faraday_brotli_decoder *_Nullable (*_Nonnull create)(void *_Nullable, void *_Nullable, void *_Nullable);
  void (*_Nonnull destroy)(faraday_brotli_decoder *_Nullable);
  // Returns 0 after an error.
  int (*_Nonnull decode)(faraday_brotli_decoder *_Nonnull, size_t *_Nonnull available_in,
                         const uint8_t *_Nullable *_Nonnull next_in, size_t *_Nonnull available_out,
                         uint8_t *_Nullable *_Nonnull next_out, size_t *_Nullable total_out);
  int (*_Nonnull is_finished)(const faraday_brotli_decoder *_Nonnull);
  int (*_Nonnull error_code)(const faraday_brotli_decoder *_Nonnull);
  const char *_Nonnull (*_Nonnull error_text)(int);
} faraday_brotli;

typedef struct faraday_zstd_decoder faraday_zstd_decoder;

typedef struct {
  const void *_Nullable bytes;
  size_t size;
  size_t position;
} faraday_zstd_input;

typedef struct {
  void *_Nullable bytes;
  size_t size;
  size_t position;
} faraday_zstd_output;

typedef struct {
  faraday_zstd_decoder *_Nullable (*_Nonnull create)(void);
  size_t (*_Nonnull destroy)(faraday_zstd_decoder *_Nullable);
  size_t (*_Nonnull set)(faraday_zstd_decoder *_Nonnull, int parameter, int value);
  // Returns 0 at the end of a frame.
  size_t (*_Nonnull decode)(faraday_zstd_decoder *_Nonnull, faraday_zstd_output *_Nonnull, faraday_zstd_input *_Nonnull);
  unsigned (*_Nonnull is_error)(size_t);
  const char *_Nonnull (*_Nonnull error_text)(size_t);
} faraday_zstd;

// Sets each function of a list of pairs: its place and its name. Returns 0 if the library or a function is missing. A library of
// NULL means all libraries that the program is linked to. The library is never closed.
static inline int faraday_load(const char *_Nullable library, void *_Nullable (*_Nonnull functions)[2], size_t count) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
  for (size_t index = 0; index < count; index++) {
    void *function = dlsym(handle, functions[index][1]);
    if (!function) return 0;
    *(void **)functions[index][0] = function;
  }
  return 1;
}

// Sets the functions, and returns 0 if the library or one of its functions is missing.
static inline int faraday_load_brotli(faraday_brotli *_Nonnull brotli, const char *_Nullable library) {
  void *functions[][2] = {
    {&brotli->create, "BrotliDecoderCreateInstance"},   {&brotli->destroy, "BrotliDecoderDestroyInstance"},
    {&brotli->decode, "BrotliDecoderDecompressStream"}, {&brotli->is_finished, "BrotliDecoderIsFinished"},
    {&brotli->error_code, "BrotliDecoderGetErrorCode"}, {&brotli->error_text, "BrotliDecoderErrorString"},
  };
  return faraday_load(library, functions, sizeof functions / sizeof *functions);
}

// Sets the functions, and returns 0 if the library or one of its functions is missing.
static inline int faraday_load_zstd(faraday_zstd *_Nonnull zstd, const char *_Nullable library) {
  void *functions[][2] = {
    {&zstd->create, "ZSTD_createDStream"},     {&zstd->destroy, "ZSTD_freeDStream"},
    {&zstd->set, "ZSTD_DCtx_setParameter"},    {&zstd->decode, "ZSTD_decompressStream"},
    {&zstd->is_error, "ZSTD_isError"},         {&zstd->error_text, "ZSTD_getErrorName"},
  };
  return faraday_load(library, functions, sizeof functions / sizeof *functions);
}

typedef struct {
  uint64_t words[32];
} faraday_hash_state;

// Each returns 1.
typedef struct {
  int (*_Nonnull init)(faraday_hash_state *_Nonnull);
  int (*_Nonnull update)(faraday_hash_state *_Nonnull, const void *_Nullable bytes, size_t count);
  int (*_Nonnull finish)(uint8_t *_Nonnull hash, faraday_hash_state *_Nonnull);
} faraday_hash;

// Sets the functions, and returns 0 if the program is not linked to OpenSSL: another library may have functions of these names.
static inline int faraday_load_sha256(faraday_hash *_Nonnull hash) {
  void *version;
  void *functions[][2] = {
    {&hash->init, "SHA256_Init"}, {&hash->update, "SHA256_Update"}, {&hash->finish, "SHA256_Final"},
    {&version, "OpenSSL_version_num"},
  };
  return faraday_load(NULL, functions, sizeof functions / sizeof *functions);
}

static inline int faraday_load_sha512(faraday_hash *_Nonnull hash) {
  void *version;
  void *functions[][2] = {
    {&hash->init, "SHA512_Init"}, {&hash->update, "SHA512_Update"}, {&hash->finish, "SHA512_Final"},
    {&version, "OpenSSL_version_num"},
  };
  return faraday_load(NULL, functions, sizeof functions / sizeof *functions);
}

// Reads bytes of a file that are in the kernel's page cache. Returns their number, and 0 or -1 if there are none. Linux 5.9 and 5.10
// return 0 not only at the end of the file. tmpfs does not support the flag. Its files are in memory, or in the swap space like
// any other memory.
static inline ssize_t faraday_read_cached(int file, void *_Nonnull bytes, size_t count, int64_t offset) {
#ifdef SYS_preadv2
  const long without_waiting = 8; // RWF_NOWAIT
  const long tmpfs = 0x01021994; // TMPFS_MAGIC
  struct iovec part = {bytes, count};
  ssize_t got = syscall(SYS_preadv2, (long)file, &part, 1L, (long)offset, (long)((uint64_t)offset >> 32), without_waiting);
  if (got >= 0 || errno != EOPNOTSUPP) return got;
  struct statfs system;
  return fstatfs(file, &system) == 0 && system.f_type == tmpfs ? pread(file, bytes, count, (off_t)offset) : -1;
#else
  (void)file, (void)bytes, (void)count, (void)offset;
  return -1;
#endif
}

#endif
