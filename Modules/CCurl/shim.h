// Typed inline wrappers for C features that Swift cannot import (variadic functions, macros with casts, unions), and system
// calls on sockets. Requires the headers of libcurl 7.80 or newer. Newer options are passed by number, because the headers may
// be older than the library. A library without the option returns CURLE_UNKNOWN_OPTION.
#ifndef FARADAY_CURL_SHIM_H
#define FARADAY_CURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#endif

// MARK: variadic functions

static inline CURLcode faraday_set_long(void *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode faraday_set_offset(void *easy, CURLoption option, int64_t value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}
static inline CURLcode faraday_set_string(void *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode faraday_set_pointer(void *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}
// libcurl copies the bytes. 7.71 and newer.
static inline CURLcode faraday_set_blob(void *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode faraday_get_long(void *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode faraday_get_socket(void *easy, curl_socket_t *value) {
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}
static inline CURLcode faraday_get_offset(void *easy, CURLINFO info, int64_t *value) {
  curl_off_t got = 0;
  CURLcode code = curl_easy_getinfo(easy, info, &got);
  *value = (int64_t)got;
  return code;
}
static inline void *faraday_get_private(void *easy) {
  char *value = NULL;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}
static inline CURLMcode faraday_multi_set_long(void *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLSHcode faraday_share_tls_sessions(void *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

// MARK: typed callbacks

typedef size_t (*faraday_write_function)(char *, size_t, size_t, void *);
typedef int (*faraday_seek_function)(void *, curl_off_t, int);
typedef curl_socket_t (*faraday_open_socket_function)(void *, curlsocktype, struct curl_sockaddr *);
typedef int (*faraday_close_socket_function)(void *, curl_socket_t);
typedef int (*faraday_ready_function)(void *, char *, char *, int, int);
typedef int (*faraday_progress_function)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
typedef int (*faraday_log_function)(void *, curl_infotype, char *, size_t, void *);
typedef int (*faraday_socket_function)(void *, curl_socket_t, int, void *, void *);
typedef CURLcode (*faraday_tls_context_function)(CURL *, void *, void *);
typedef int (*faraday_trailer_function)(struct curl_slist **, void *);
typedef int (*faraday_timer_function)(void *, long, void *);

// Memory that libcurl uses without a copy during the life of an easy handle: the text of an error, and lists of texts. One
// block contains both, while it has room for the lists.
struct faraday_list {
  struct faraday_list *previous;
  struct curl_slist nodes[];
};
struct faraday_memory {
  char error[CURL_ERROR_SIZE];
  struct faraday_list *last;
  size_t used;
  // The whole structure is small enough for the allocator's cache of a thread (1,032 bytes in glibc).
  struct curl_slist room[44];
};
static inline void *faraday_memory_create(void) {
  struct faraday_memory *memory = malloc(sizeof *memory);
  if (!memory) return NULL;
  memory->error[0] = 0;
  memory->last = NULL;
  memory->used = 0;
  return memory;
}
static inline char *faraday_memory_error(void *memory) { return ((struct faraday_memory *)memory)->error; }
// Adds a list of NUL-terminated texts. Returns NULL without memory or texts.
static inline struct curl_slist *faraday_memory_add(void *to, const char *texts, size_t length) {
  struct faraday_memory *memory = to;
  size_t count = 0;
  for (size_t index = 0; index < length; index++) count += texts[index] == 0;
  if (count == 0) return NULL;
  struct curl_slist *nodes;
  // The texts follow the nodes.
  size_t size = count + (length + sizeof *nodes - 1) / sizeof *nodes;
  if (size <= sizeof memory->room / sizeof *nodes - memory->used) {
    nodes = memory->room + memory->used;
    memory->used += size;
  } else {
    struct faraday_list *added = malloc(sizeof *added + size * sizeof *nodes);
    if (!added) return NULL;
    added->previous = memory->last;
    memory->last = added;
    nodes = added->nodes;
  }
  char *text = memcpy(nodes + count, texts, length);
  for (size_t index = 0; index < count; index++) {
    nodes[index].data = text;
    nodes[index].next = index + 1 < count ? nodes + index + 1 : NULL;
    text += strlen(text) + 1;
  }
  return nodes;
}
static inline void faraday_memory_free(void *memory) {
  struct faraday_list *list = ((struct faraday_memory *)memory)->last;
  while (list) {
    struct faraday_list *previous = list->previous;
    free(list);
    list = previous;
  }
  free(memory);
}

static inline CURLcode faraday_set_write(void *easy, CURLoption option, faraday_write_function function) {
  return curl_easy_setopt(easy, option, function);
}
static inline CURLcode faraday_set_seek(void *easy, faraday_seek_function function) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}
static inline CURLcode faraday_set_open_socket(void *easy, faraday_open_socket_function function) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}
static inline CURLcode faraday_set_close_socket(void *easy, faraday_close_socket_function function, void *data) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, data);
}
// Sets the callback that is called when a new or reused connection is ready, before the request is sent. libcurl 7.80 and
// newer.
static inline CURLcode faraday_set_ready(void *easy, faraday_ready_function function, void *data) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, data);
}
// Sets the callback that gets OpenSSL's `SSL_CTX *` when a TLS connection is prepared.
static inline CURLcode faraday_set_tls_context(void *easy, faraday_tls_context_function function, void *data) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, data);
}
static inline CURLcode faraday_set_trailer(void *easy, faraday_trailer_function function, void *data) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_TRAILERDATA, data);
}
static inline CURLcode faraday_set_transfer_progress(void *easy, faraday_progress_function function, void *data) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, data);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}
// Enables libcurl's verbose log and sets its callback.
static inline CURLcode faraday_set_log(void *easy, faraday_log_function function, void *data) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, data);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}
// Adds the frames of HTTP/2 to the verbose log, of all handles of the process (8.3 and newer).
static inline void faraday_trace_http2(void) {
  CURLcode (*trace)(const char *) = (CURLcode (*)(const char *))dlsym(RTLD_DEFAULT, "curl_global_trace");
  if (trace) trace("http/2");
}
static inline CURLMcode faraday_multi_set_socket(void *multi, faraday_socket_function function, void *data) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data);
}
static inline CURLMcode faraday_multi_set_timer(void *multi, faraday_timer_function function, void *data) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data);
}

// MARK: OpenSSL, if libcurl uses it

typedef int (*faraday_verify_function)(void *, void *);

// Functions of libcurl's OpenSSL; NULL for missing functions.
struct faraday_openssl {
  const char *(*version)(int);
  int (*init)(uint64_t, const void *);
  int (*has_pending)(const void *);
  int (*get_shutdown)(const void *);
  void (*get_alpn)(const void *, const unsigned char **, unsigned int *);
  int (*is_finished)(const void *);
  void *(*get_session)(const void *);
  void (*session_alpn)(const void *, const unsigned char **, size_t *);
  void *(*peer_chain)(void *);
  void (*set_verify)(void *, faraday_verify_function, void *);
  uint64_t (*set_options)(void *, uint64_t);
  void (*set_mode)(void *, int, void *);
  int (*verify)(void *);
  void (*set_result)(void *, int);
  const char *(*get_version)(const void *);
  const void *(*get_cipher)(const void *);
  const char *(*cipher_name)(const void *);
  void *(*sent_chain)(void *);
  int (*count)(void *);
  void *(*value)(void *, int);
  int (*encode)(void *, unsigned char **);
  void (*release)(void *, const char *, int);
};

// The handle of this process's libcurl. dlsym with it searches libcurl and its dependencies. A process may contain a second
// OpenSSL, and a pointer of one OpenSSL must not reach the other. NULL if libcurl is not a separate library: its OpenSSL is
// then unknown.
static inline void *faraday_libcurl(void) {
  // glibc declares dladdr and its Dl_info only with _GNU_SOURCE.
  struct { const char *file; void *base; const char *symbol; void *address; } found;
  int (*locate)(const void *, void *) = (int (*)(const void *, void *))dlsym(RTLD_DEFAULT, "dladdr");
  void *function = dlsym(RTLD_DEFAULT, "curl_version");
  return locate && function && locate(function, &found) ? dlopen(found.file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static inline struct faraday_openssl faraday_find_openssl(void) {
  struct faraday_openssl found = {0};
  void *library = faraday_libcurl();
  if (!library) return found;
  *(void **)&found.version = dlsym(library, "OpenSSL_version");
  *(void **)&found.init = dlsym(library, "OPENSSL_init_crypto");
  *(void **)&found.has_pending = dlsym(library, "SSL_has_pending");
  *(void **)&found.get_shutdown = dlsym(library, "SSL_get_shutdown");
  *(void **)&found.get_alpn = dlsym(library, "SSL_get0_alpn_selected");
  *(void **)&found.is_finished = dlsym(library, "SSL_is_init_finished");
  *(void **)&found.get_session = dlsym(library, "SSL_get_session");
  *(void **)&found.session_alpn = dlsym(library, "SSL_SESSION_get0_alpn_selected");
  *(void **)&found.peer_chain = dlsym(library, "SSL_get_peer_cert_chain");
  *(void **)&found.set_verify = dlsym(library, "SSL_CTX_set_cert_verify_callback");
  *(void **)&found.set_options = dlsym(library, "SSL_CTX_set_options");
  *(void **)&found.set_mode = dlsym(library, "SSL_CTX_set_verify");
  *(void **)&found.verify = dlsym(library, "X509_verify_cert");
  *(void **)&found.set_result = dlsym(library, "X509_STORE_CTX_set_error");
  *(void **)&found.get_version = dlsym(library, "SSL_get_version");
  *(void **)&found.get_cipher = dlsym(library, "SSL_get_current_cipher");
  *(void **)&found.cipher_name = dlsym(library, "SSL_CIPHER_get_name");
  *(void **)&found.sent_chain = dlsym(library, "X509_STORE_CTX_get0_untrusted");
  *(void **)&found.count = dlsym(library, "OPENSSL_sk_num");
  *(void **)&found.value = dlsym(library, "OPENSSL_sk_value");
  *(void **)&found.encode = dlsym(library, "i2d_X509");
  *(void **)&found.release = dlsym(library, "CRYPTO_free");
  return found;
}

// The `SSL *` of the handle's current connection; NULL without a connection, or with another TLS library.
static inline void *faraday_get_ssl(void *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// MARK: a union, and options that depend on the version

// The next completed transfer, or NULL.
static inline void *faraday_next_done(void *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

// Allows http and https only. The string form of the option needs 7.85.
static inline CURLcode faraday_set_web_protocols(void *easy) {
  CURLcode code = curl_easy_setopt(easy, (CURLoption)10318 /* CURLOPT_PROTOCOLS_STR */, "http,https");
  return code != CURLE_UNKNOWN_OPTION ? code : curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}
// Does not wait for the thread of a cancelled DNS lookup. libcurl 7.87 and newer.
static inline CURLcode faraday_set_quick_exit(void *easy) {
  return curl_easy_setopt(easy, (CURLoption)322 /* CURLOPT_QUICK_EXIT */, 1L);
}

static const long faraday_auth_basic = CURLAUTH_BASIC;
static const long faraday_auth_digest = CURLAUTH_DIGEST;
static const long faraday_auth_ntlm = CURLAUTH_NTLM;
static const long faraday_auth_negotiate = CURLAUTH_NEGOTIATE;
static const size_t faraday_write_pause = CURL_WRITEFUNC_PAUSE;
static const size_t faraday_write_error = 0xFFFFFFFF;  // CURL_WRITEFUNC_ERROR, named since 7.87
static const size_t faraday_read_pause = CURL_READFUNC_PAUSE;
static const size_t faraday_read_abort = CURL_READFUNC_ABORT;
static const curl_socket_t faraday_socket_timeout = CURL_SOCKET_TIMEOUT;
static const curl_socket_t faraday_bad_socket = CURL_SOCKET_BAD;

// MARK: the process

static inline const curl_version_info_data *faraday_version(void) { return curl_version_info(CURLVERSION_NOW); }

// An identifier of the calling thread, unique while it runs.
static inline uintptr_t faraday_thread(void) { return (uintptr_t)pthread_self(); }

static inline void faraday_name_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name);
#else
  (void)name;
#endif
}

// A UTF-8 locale, or NULL: libcurl converts international host names (IDNA) with the thread's locale, and the C locale cannot.
static inline void *faraday_utf8_locale(void) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  return utf8 ? utf8 : newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
}
static inline void faraday_use_locale(void *locale) {
  if (locale) uselocale((locale_t)locale);
}

// MARK: files

// A number that changes when a file or folder is replaced or written: a hash of its identity, size and times; 0 if it does not
// exist.
static inline uint32_t faraday_file_version(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
#ifdef __APPLE__
  const struct timespec modified = status.st_mtimespec, changed = status.st_ctimespec;
#else
  const struct timespec modified = status.st_mtim, changed = status.st_ctim;
#endif
  const uint64_t parts[] = {
    (uint64_t)status.st_dev, (uint64_t)status.st_ino, (uint64_t)status.st_size, (uint64_t)modified.tv_sec,
    (uint64_t)modified.tv_nsec, (uint64_t)changed.tv_sec, (uint64_t)changed.tv_nsec,
  };
  // FNV-1a.
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t index = 0; index < sizeof parts / sizeof *parts; index++)
    for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ (parts[index] >> shift & 0xFF)) * 0x100000001B3;
  uint32_t folded = (uint32_t)(hash ^ hash >> 32);
  return folded ? folded : 1;
}

// MARK: sockets

// Whether the socket has bytes to read, or was closed by the peer. Does not block.
static inline int faraday_is_readable_or_closed(int descriptor) {
  struct pollfd socket = {.fd = descriptor, .events = POLLIN};
  return poll(&socket, 1, 0) != 0;
}

// Whether the peer has closed a connection without an error, and all received bytes were read. Not recv with MSG_PEEK, which would take
// the error of a reset from libcurl.
static inline int faraday_has_ended(int descriptor) {
  struct pollfd socket = {.fd = descriptor, .events = POLLIN};
  int unread = 0;
  return poll(&socket, 1, 0) == 1 && (socket.revents & POLLIN) && !(socket.revents & (POLLERR | POLLHUP)) &&
         ioctl(descriptor, FIONREAD, &unread) == 0 && unread == 0;
}

// The inode of an open file plus 1, which distinguishes it from others with the same descriptor; 0 if it is closed.
static inline uint64_t faraday_file_number(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? (uint64_t)status.st_ino + 1 : 0;
}

// Whether a TCP connection is established.
static inline int faraday_is_connected(int descriptor) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  return getpeername(descriptor, (struct sockaddr *)&address, &length) == 0;
}

// The local port of a socket, or -1.
static inline int faraday_local_port(int descriptor) {
  union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } address;
  socklen_t length = sizeof address;
  if (getsockname(descriptor, &address.any, &length) != 0) return -1;
  if (address.any.sa_family == AF_INET) return ntohs(address.v4.sin_port);
  if (address.any.sa_family == AF_INET6) return ntohs(address.v6.sin6_port);
  return -1;
}

// Sets TCP_NODELAY, and the idle time and interval of keep-alive probes in seconds; 0 sends none.
static inline void faraday_set_tcp(int descriptor, int no_delay, int keep_alive) {
  int is_kept_alive = keep_alive > 0;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &is_kept_alive, sizeof is_kept_alive);
  if (!is_kept_alive) return;
#ifdef TCP_KEEPIDLE
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &keep_alive, sizeof keep_alive);
#elif defined(TCP_KEEPALIVE)
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPALIVE, &keep_alive, sizeof keep_alive);
#endif
#ifdef TCP_KEEPINTVL
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &keep_alive, sizeof keep_alive);
#endif
}

// Sets TCP_USER_TIMEOUT in milliseconds; 0 is the system's default. No effect on systems without it.
static inline void faraday_set_user_timeout(int descriptor, unsigned int milliseconds) {
#ifdef TCP_USER_TIMEOUT
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
#else
  (void)descriptor; (void)milliseconds;
#endif
}

// Two of TCP's counters: the bytes that were received, and those that the peer has acknowledged. Returns 0 if the system does
// not report them.
static inline int faraday_tcp_bytes(int descriptor, uint64_t *received, uint64_t *acknowledged) {
#ifdef __linux__
  // The kernel's struct tcp_info (Linux 4.1), incomplete in C libraries: tcpi_bytes_acked is at offset 120, tcpi_bytes_received
  // at 128.
  uint8_t info[136];
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, 11 /* TCP_INFO */, info, &length) != 0 || length < sizeof info) return 0;
  memcpy(acknowledged, info + 120, sizeof *acknowledged);
  memcpy(received, info + 128, sizeof *received);
  return 1;
#else
  (void)descriptor; (void)received; (void)acknowledged;
  return 0;
#endif
}

// The bytes that TCP has received, plus those that the peer has acknowledged; -1 if the system does not report them.
static inline int64_t faraday_moved_bytes(int descriptor) {
  uint64_t received, acknowledged;
  return faraday_tcp_bytes(descriptor, &received, &acknowledged) ? (int64_t)(received + acknowledged) : -1;
}

// The bytes that TCP has received; -1 if the system does not report them.
static inline int64_t faraday_received_bytes(int descriptor) {
  uint64_t received, acknowledged;
  return faraday_tcp_bytes(descriptor, &received, &acknowledged) ? (int64_t)received : -1;
}

// Creates a multi handle whose internal sockets have FD_CLOEXEC, so that child processes do not inherit them. libcurl 7.88
// creates a socket pair for its wake-up and does not expose it: it gets the lowest free descriptors, unless another thread was
// faster, and then these are not AF_UNIX sockets.
static inline void *faraday_multi_init(void) {
  int probe[2] = {-1, -1};
  for (int index = 0; index < 2; index++) probe[index] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  for (int index = 0; index < 2; index++) if (probe[index] >= 0) close(probe[index]);
  void *multi = curl_multi_init();
  if (!multi) return NULL;
  for (int index = 0; index < 2; index++) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (probe[index] < 0 || getsockname(probe[index], (struct sockaddr *)&address, &length) != 0) continue;
    int flags = fcntl(probe[index], F_GETFD);
    if (address.ss_family == AF_UNIX && flags >= 0) fcntl(probe[index], F_SETFD, flags | FD_CLOEXEC);
  }
  return multi;
}

// A socket whose peer is closed: reading returns 0 bytes, as after a server has closed.
static inline int faraday_ended_socket(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
  close(ends[1]);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  return ends[0];
}

// Replaces the file of a descriptor with another (dup2); the old file is closed.
static inline int faraday_replace(int descriptor, int with) {
  int code = dup2(with, descriptor);
  if (code >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return code;
}

// Whether the process or the system has no free file descriptor.
static inline int faraday_is_out_of_descriptors(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor >= 0) {
    close(descriptor);
    return 0;
  }
  return errno == EMFILE || errno == ENFILE;
}

static inline int faraday_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  int descriptor = socket(address->family, address->socktype, address->protocol);
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}

// The address, in network order, and the port of a socket address. Returns the number of bytes: 4, 16, or 0 for a Unix socket.
static inline int faraday_address(const struct curl_sockaddr *address, uint8_t *bytes, int *port) {
  if (address->family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->addr;
    memcpy(bytes, &v4->sin_addr, 4);
    *port = ntohs(v4->sin_port);
    return 4;
  }
  if (address->family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->addr;
    memcpy(bytes, &v6->sin6_addr, 16);
    *port = ntohs(v6->sin6_port);
    return 16;
  }
  return 0;
}

#ifdef __linux__
static inline struct epoll_event faraday_epoll_event(uint32_t events, int descriptor) {
  struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
  return event;
}
static inline int faraday_epoll_descriptor(const struct epoll_event *event) { return event->data.fd; }
#endif

#endif
