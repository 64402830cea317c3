// The C baseline of the benchmarks: what `bench` does through Faraday, done directly on libcurl.
//
// curl_multi_poll and curl_multi_perform in one thread, with the options that Faraday's engine sets on a plain HTTP/1.1
// request and no work that an application would not do itself. Everything is checked; everything that waits is bounded
// by one alarm. The result is one line of JSON about the time between the first request and the end of the last.

#define _GNU_SOURCE
#include "raw.h"

#include <curl/curl.h>

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FAILED = 1, MISUSED = 2, TIMED_OUT = 3 };

static const char usage_text[] =
    "usage: raw MODE URL [--requests N] [--concurrency C] [--buffer BYTES] [--limit SECONDS] [--reuse-handles]\n"
    "           [--http 1|2] [--certificate FILE] [--forget-sessions]\n"
    "  get          N small GETs, C at a time, heads and bodies kept in memory\n"
    "  handshakes   the same; what differs is the server, which ends each connection\n"
    "  json         N POSTs of a JSON text, C at a time, the responses kept in memory and not parsed\n"
    "  download     N GETs, C at a time, the pieces counted and dropped\n"
    "  file         N GETs, C at a time, each written to --file FILE and a number\n"
    "  upload       N PUTs of --bytes N each, C at a time\n"
    "  upload-file  N PUTs of --file FILE, C at a time\n"
    "  idle         N GETs of --second URL, one at a time, while C responses from URL stand still\n"
    "  slow         C responses from URL that stand still: the memory of each, and the processor's time meanwhile\n"
    "       raw SERVER [--port P] [--limit SECONDS]   on loopback; prints its port, a free one unless given\n"
    "  stall-server  answers a request with a head and never with its body\n"
    "  sink-server   reads a body of known length, drops it and answers 200\n"
    "exit codes: 1 something failed, 2 wrong usage, 3 not done within the limit (120 seconds unless given)\n";

// MARK: failing

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("raw: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(FAILED);
}

__attribute__((noreturn)) static void misuse(const char *problem, const char *subject) {
  fprintf(stderr, "raw: %s%s\n%s", problem, subject, usage_text);
  exit(MISUSED);
}

static void time_is_up(int signal) {
  (void)signal;
  static const char text[] = "raw: not done within the limit\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(FAILED);
  _exit(TIMED_OUT);
}

static void check(CURLcode code, const char *what) {
  if (code != CURLE_OK) fail("%s: %s", what, curl_easy_strerror(code));
}

static void check_multi(CURLMcode code, const char *what) {
  if (code != CURLM_OK) fail("%s: %s", what, curl_multi_strerror(code));
}

#define SET(easy, option, value) check(curl_easy_setopt(easy, option, value), #option)

// MARK: options

struct options {
  const char *mode, *url, *second, *file, *certificate;
  long requests, concurrency, buffer, bytes, limit, port, version;
  bool reuse_handles, forget_sessions;
};

static long number(const char *name, const char *text, long least, long most) {
  char *end = NULL;
  long value = text ? strtol(text, &end, 10) : 0;
  if (!text || end == text || *end || value < least || value > most) misuse("a number is wrong or missing: ", name);
  return value;
}

static struct options parse(int count, char **words) {
  struct options options = {.requests = 1, .concurrency = 1, .buffer = 64 << 10, .limit = 120, .version = 1};
  if (count < 2) misuse("which mode?", "");
  options.mode = words[1];
  int next = 2;
  if (next < count && strncmp(words[next], "--", 2) != 0) options.url = words[next++];
  while (next < count) {
    const char *name = words[next++];
    if (!strcmp(name, "--reuse-handles")) {
      options.reuse_handles = true;
      continue;
    }
    if (!strcmp(name, "--forget-sessions")) {
      options.forget_sessions = true;
      continue;
    }
    const char *value = next < count ? words[next++] : NULL;
    if (!strcmp(name, "--requests")) options.requests = number(name, value, 1, 1000000000);
    else if (!strcmp(name, "--concurrency")) options.concurrency = number(name, value, 1, 100000);
    else if (!strcmp(name, "--buffer")) options.buffer = number(name, value, 1024, CURL_MAX_READ_SIZE);
    else if (!strcmp(name, "--bytes")) options.bytes = number(name, value, 0, INT64_C(1) << 50);
    else if (!strcmp(name, "--limit")) options.limit = number(name, value, 1, 1000000);
    else if (!strcmp(name, "--port")) options.port = number(name, value, 0, 65535);
    else if (!strcmp(name, "--http")) options.version = number(name, value, 1, 3);
    else if (!strcmp(name, "--second") && value) options.second = value;
    else if (!strcmp(name, "--file") && value) options.file = value;
    else if (!strcmp(name, "--certificate") && value) options.certificate = value;
    else misuse("unknown or incomplete: ", name);
  }
  return options;
}

// MARK: a run and its transfers

enum role { KEEP, POST, COUNT, SAVE, SEND, SEND_FILE, STALL };

struct buffer {
  char *bytes;
  size_t count, capacity;
};

struct run {
  const struct options *options;
  CURLM *multi;
  struct curl_slist *headers;
  long started, finished, standing;
  int64_t bytes;
  double *latencies;  // of finished requests, in seconds
  bool has_news;  // something was added since libcurl last worked
};

struct transfer {
  struct run *run;
  enum role role;
  const char *url;
  CURL *easy;
  struct buffer head, body;
  int64_t received, sent;
  double began;
  FILE *file;
  char error[CURL_ERROR_SIZE];
};

static void append(struct buffer *buffer, const char *bytes, size_t count) {
  if (buffer->capacity - buffer->count < count) {
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - buffer->count < count) capacity *= 2;
    char *grown = realloc(buffer->bytes, capacity);
    if (!grown) fail("out of memory");
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

static void clear(struct buffer *buffer) {
  free(buffer->bytes);
  *buffer = (struct buffer){0};
}

static size_t on_head(char *line, size_t size, size_t count, void *pointer) {
  struct transfer *transfer = pointer;
  append(&transfer->head, line, size * count);
  if (transfer->role == STALL && line[0] == '\r') transfer->run->standing++;
  return size * count;
}

static size_t on_body_kept(char *bytes, size_t size, size_t count, void *pointer) {
  struct transfer *transfer = pointer;
  append(&transfer->body, bytes, size * count);
  transfer->received += (int64_t)(size * count);
  return size * count;
}

static volatile char touched;

static size_t on_body_counted(char *bytes, size_t size, size_t count, void *pointer) {
  struct transfer *transfer = pointer;
  if (count) touched = bytes[0];
  transfer->received += (int64_t)(size * count);
  return size * count;
}

static size_t on_body_saved(char *bytes, size_t size, size_t count, void *pointer) {
  struct transfer *transfer = pointer;
  transfer->received += (int64_t)(size * count);
  return fwrite(bytes, 1, size * count, transfer->file);
}

static char sent_bytes[256 << 10];

// What the other programs' JSON encoders make of the same order.
static const char order[] =
    "{\"customer\":\"Ada Lovelace\",\"id\":4711,\"isPaid\":true,\"lines\":["
    "{\"article\":\"article 1\",\"count\":1,\"price\":2.5},{\"article\":\"article 2\",\"count\":2,\"price\":5},"
    "{\"article\":\"article 3\",\"count\":3,\"price\":7.5},{\"article\":\"article 4\",\"count\":4,\"price\":10},"
    "{\"article\":\"article 5\",\"count\":5,\"price\":12.5},{\"article\":\"article 6\",\"count\":6,\"price\":15},"
    "{\"article\":\"article 7\",\"count\":7,\"price\":17.5},{\"article\":\"article 8\",\"count\":8,\"price\":20}]}";

static size_t on_room(char *room, size_t size, size_t count, void *pointer) {
  struct transfer *transfer = pointer;
  int64_t left = transfer->run->options->bytes - transfer->sent;
  size_t length = size * count < sizeof sent_bytes ? size * count : sizeof sent_bytes;
  if ((int64_t)length > left) length = (size_t)left;
  memcpy(room, sent_bytes, length);
  transfer->sent += (int64_t)length;
  return length;
}

static size_t on_room_from_file(char *room, size_t size, size_t count, void *pointer) {
  struct transfer *transfer = pointer;
  size_t length = fread(room, size, count, transfer->file);
  transfer->sent += (int64_t)length;
  return length;
}

static int on_rewind(void *pointer, curl_off_t offset, int origin) {
  struct transfer *transfer = pointer;
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  transfer->sent = offset;
  return CURL_SEEKFUNC_OK;
}

static void configure(struct transfer *transfer) {
  CURL *easy = transfer->easy;
  SET(easy, CURLOPT_PRIVATE, transfer);
  SET(easy, CURLOPT_URL, transfer->url);
  SET(easy, CURLOPT_NOSIGNAL, 1L);
  SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  const struct options *options = transfer->run->options;
  // By number: the headers may be older than the library.
  const long http3_only = 31;
  const long versions[] = {CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_2TLS, http3_only};
  SET(easy, CURLOPT_HTTP_VERSION, versions[options->version - 1]);
  if (options->version > 1) SET(easy, CURLOPT_PIPEWAIT, 1L);
  if (options->certificate) SET(easy, CURLOPT_CAINFO, options->certificate);
  if (options->forget_sessions) SET(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  SET(easy, CURLOPT_PROXY, "");
  SET(easy, CURLOPT_BUFFERSIZE, transfer->run->options->buffer);
  SET(easy, CURLOPT_ERRORBUFFER, transfer->error);
  SET(easy, CURLOPT_HTTPHEADER, transfer->run->headers);
  SET(easy, CURLOPT_HEADERFUNCTION, on_head);
  SET(easy, CURLOPT_HEADERDATA, transfer);
  bool keeps = transfer->role == KEEP || transfer->role == POST;
  SET(easy, CURLOPT_WRITEFUNCTION, transfer->role == SAVE ? on_body_saved : keeps ? on_body_kept : on_body_counted);
  SET(easy, CURLOPT_WRITEDATA, transfer);
  if (transfer->role == POST) {
    SET(easy, CURLOPT_POSTFIELDSIZE, (long)sizeof order - 1);
    SET(easy, CURLOPT_POSTFIELDS, order);
  }
  if (transfer->role != SEND && transfer->role != SEND_FILE) return;
  SET(easy, CURLOPT_UPLOAD, 1L);
  SET(easy, CURLOPT_UPLOAD_BUFFERSIZE, 128L << 10);
  SET(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)options->bytes);
  SET(easy, CURLOPT_READFUNCTION, transfer->role == SEND ? on_room : on_room_from_file);
  SET(easy, CURLOPT_READDATA, transfer);
  SET(easy, CURLOPT_SEEKFUNCTION, on_rewind);
  SET(easy, CURLOPT_SEEKDATA, transfer);
}

static void open_file(struct transfer *transfer) {
  char path[4096];
  static long number;
  bool saves = transfer->role == SAVE;
  if (saves) snprintf(path, sizeof path, "%s.%ld", transfer->run->options->file, ++number);
  else snprintf(path, sizeof path, "%s", transfer->run->options->file);
  transfer->file = fopen(path, saves ? "wb" : "rb");
  if (!transfer->file) fail("cannot open %s", path);
}

static double seconds(void) {
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  return (double)clock.tv_sec + (double)clock.tv_nsec / 1e9;
}

static void start(struct transfer *transfer) {
  struct run *run = transfer->run;
  transfer->began = seconds();
  if (transfer->role == SAVE || transfer->role == SEND_FILE) open_file(transfer);
  if (!transfer->easy && !(transfer->easy = curl_easy_init())) fail("out of memory");
  transfer->received = transfer->sent = 0;
  configure(transfer);
  check_multi(curl_multi_add_handle(run->multi, transfer->easy), "curl_multi_add_handle");
  run->has_news = true;
  if (transfer->role != STALL) run->started++;
}

static void stop(struct transfer *transfer, bool keep_handle) {
  check_multi(curl_multi_remove_handle(transfer->run->multi, transfer->easy), "curl_multi_remove_handle");
  clear(&transfer->head);
  clear(&transfer->body);
  // What the others promise at the end of a download they do to the disk; here it is what the system does.
  if (transfer->file && fclose(transfer->file) != 0) fail("cannot write the file");
  transfer->file = NULL;
  if (keep_handle) {
    curl_easy_reset(transfer->easy);
  } else {
    curl_easy_cleanup(transfer->easy);
    transfer->easy = NULL;
  }
}

static void finish(struct transfer *transfer, CURLcode result) {
  struct run *run = transfer->run;
  long status = 0;
  if (result != CURLE_OK)
    fail("%s: %s", transfer->url, transfer->error[0] ? transfer->error : curl_easy_strerror(result));
  check(curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status), "CURLINFO_RESPONSE_CODE");
  if (status != 200) fail("%s: the status is %ld, not 200", transfer->url, status);
  if (transfer->role == STALL) fail("%s: a response that should stand still has ended", transfer->url);
  bool sends = transfer->role == SEND || transfer->role == SEND_FILE;
  if (sends && transfer->sent != run->options->bytes)
    fail("%s: answered after %" PRId64 " of %ld bytes", transfer->url, transfer->sent, run->options->bytes);

  run->latencies[run->finished++] = seconds() - transfer->began;
  run->bytes += sends ? transfer->sent : transfer->received;
  bool goes_on = run->started < run->options->requests;
  stop(transfer, goes_on && run->options->reuse_handles);
  if (goes_on) start(transfer);
}

// Waits only when there is nothing to do at once: a wait with something new would return immediately.
static void turn(struct run *run) {
  if (!run->has_news) check_multi(curl_multi_poll(run->multi, NULL, 0, 1000, NULL), "curl_multi_poll");
  run->has_news = false;
  int count = 0;
  check_multi(curl_multi_perform(run->multi, &count), "curl_multi_perform");
  for (CURLMsg *message; (message = curl_multi_info_read(run->multi, &count));) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode result = message->data.result;
    struct transfer *transfer = NULL;
    check(curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer), "CURLINFO_PRIVATE");
    finish(transfer, result);
  }
}

// MARK: measuring

struct moment {
  double clock, user, system;
  long switches, peak_kib;
};

static struct moment now(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  long peak = usage.ru_maxrss / 1024;
#else
  long peak = usage.ru_maxrss;
#endif
  return (struct moment){
      .clock = seconds(),
      .user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
      .system = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
      .switches = usage.ru_nvcsw,
      .peak_kib = peak,
  };
}

static int ascending(const void *one, const void *other) {
  double left = *(const double *)one, right = *(const double *)other;
  return (left > right) - (left < right);
}

static double microseconds(const struct run *run, long percent) {
  return run->latencies[(run->finished - 1) * percent / 100] * 1e6;
}

static void report(const struct run *run, struct moment from, struct moment to) {
  printf("{\"mode\":\"%s\",\"implementation\":\"raw-c\",\"requests\":%ld,\"bytes\":%" PRId64 ",\"seconds\":%.6f,"
         "\"peak_rss_kib\":%ld,\"user_seconds\":%.6f,\"system_seconds\":%.6f,\"voluntary_switches\":%ld",
         run->options->mode, run->finished, run->bytes, to.clock - from.clock, to.peak_kib, to.user - from.user,
         to.system - from.system, to.switches - from.switches);
  if (run->latencies) {
    qsort(run->latencies, (size_t)run->finished, sizeof *run->latencies, ascending);
    printf(",\"p50_microseconds\":%.1f,\"p99_microseconds\":%.1f", microseconds(run, 50), microseconds(run, 99));
  }
  printf("}\n");
}

// MARK: the modes

static void add_header(struct run *run, const char *line) {
  struct curl_slist *longer = curl_slist_append(run->headers, line);
  if (!longer) fail("out of memory");
  run->headers = longer;
}

static struct transfer *make_transfers(struct run *run, long count, enum role role, const char *url) {
  struct transfer *transfers = calloc((size_t)count, sizeof *transfers);
  if (!transfers) fail("out of memory");
  for (long i = 0; i < count; i++) transfers[i] = (struct transfer){.run = run, .role = role, .url = url};
  return transfers;
}

static void run_requests(struct run *run, enum role role, const char *url, long concurrency) {
  if (concurrency > run->options->requests) concurrency = run->options->requests;
  struct transfer *transfers = make_transfers(run, concurrency, role, url);
  struct moment begin = now();
  for (long i = 0; i < concurrency; i++) start(&transfers[i]);
  while (run->finished < run->options->requests) turn(run);
  report(run, begin, now());
  free(transfers);
}

static void run_among_idle(struct run *run) {
  long count = run->options->concurrency;
  struct transfer *idle = make_transfers(run, count, STALL, run->options->url);
  for (long i = 0; i < count; i++) start(&idle[i]);
  while (run->standing < count) turn(run);
  run_requests(run, KEEP, run->options->second, 1);
  for (long i = 0; i < count; i++) stop(&idle[i], false);
  free(idle);
}

static long resident_kib(void) {
  long pages = 0, skipped = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &skipped, &pages) != 2) pages = 0;
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void run_slow(struct run *run) {
  long count = run->options->concurrency, before = resident_kib();
  struct transfer *slow = make_transfers(run, count, STALL, run->options->url);
  struct moment begin = now();
  for (long i = 0; i < count; i++) start(&slow[i]);
  while (run->standing < count) turn(run);
  long each = resident_kib() - before;
  struct moment idle = now(), end = idle;
  while (end.clock - idle.clock < 2) {
    check_multi(curl_multi_poll(run->multi, NULL, 0, 1000, NULL), "curl_multi_poll");
    int left = 0;
    check_multi(curl_multi_perform(run->multi, &left), "curl_multi_perform");
    end = now();
  }
  double used = end.user + end.system - idle.user - idle.system;
  printf("{\"mode\":\"slow\",\"implementation\":\"raw-c\",\"requests\":%ld,\"bytes\":0,\"seconds\":2,"
         "\"peak_rss_kib\":%ld,\"user_seconds\":%.6f,\"system_seconds\":%.6f,\"voluntary_switches\":%ld,"
         "\"kib_each\":%.3f,\"idle_cpu_share\":%.4f}\n",
         run->options->requests, end.peak_kib, end.user - begin.user, end.system - begin.system,
         end.switches - begin.switches, (double)each / (double)count, used / (end.clock - idle.clock));
  for (long i = 0; i < count; i++) stop(&slow[i], false);
  free(slow);
}

static void run_client(struct options *options, enum role role) {
  bool is_slow = !strcmp(options->mode, "slow");
  if (!options->url) misuse("which URL?", "");
  if (role == STALL && !is_slow && !options->second) misuse("idle needs --second URL", "");
  if ((role == SAVE || role == SEND_FILE) && !options->file) misuse("which --file?", "");
  if (role == SEND_FILE) {
    struct stat facts;
    if (stat(options->file, &facts) != 0) fail("cannot read %s", options->file);
    options->bytes = (long)facts.st_size;
  }
  check(curl_global_init(CURL_GLOBAL_DEFAULT), "curl_global_init");
  struct run run = {.options = options, .multi = curl_multi_init()};
  run.latencies = malloc((size_t)options->requests * sizeof *run.latencies);
  if (!run.multi || !run.latencies) fail("out of memory");
  long kept = options->concurrency < 512 ? 512 : options->concurrency;
  check_multi(curl_multi_setopt(run.multi, CURLMOPT_MAXCONNECTS, kept), "CURLMOPT_MAXCONNECTS");
  add_header(&run, "Accept:");
  if (role == POST) add_header(&run, "Content-Type: application/json");
  if (role == SEND || role == SEND_FILE) {
    add_header(&run, "Content-Type:");
    add_header(&run, "Expect:");
  }

  if (is_slow) run_slow(&run);
  else if (role == STALL) run_among_idle(&run);
  else run_requests(&run, role, options->url, options->concurrency);

  free(run.latencies);
  curl_slist_free_all(run.headers);
  check_multi(curl_multi_cleanup(run.multi), "curl_multi_cleanup");
  curl_global_cleanup();
}

static void run_websocket(struct options *options) {
  if (!options->url) misuse("which URL?", "");
  long count = options->requests;
  struct run run = {.options = options, .finished = count};
  struct moment begin = now();
  uint64_t size = (uint64_t)options->bytes;
  run.bytes = (int64_t)size * count;
  if (!strcmp(options->mode, "ws-receive")) {
    char path[64];
    snprintf(path, sizeof path, "/flood/%ld/%ld", options->bytes, count);
    if (websocket_receive(websocket_connect(options->url, path)) != run.bytes) fail("bytes are missing");
  } else {
    bool is_echo = !strcmp(options->mode, "ws-echo");
    int socket = websocket_connect(options->url, is_echo ? "/echo" : "/sink");
    run.latencies = calloc((size_t)count, sizeof *run.latencies);
    if (!run.latencies) fail("out of memory");
    for (long i = 0; i < count; i++) {
      double start = seconds();
      websocket_send(socket, size);
      if (is_echo) websocket_receive_one(socket, size);
      run.latencies[i] = seconds() - start;
    }
    websocket_close(socket);
  }
  report(&run, begin, now());
  free(run.latencies);
}

// MARK: the program

static void allow_many_sockets(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int count, char **words) {
  struct options options = parse(count, words);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGALRM, time_is_up);
  alarm((unsigned)options.limit);
  allow_many_sockets();

  static const struct {
    const char *name;
    enum role role;
  } modes[] = {{"get", KEEP},    {"handshakes", KEEP},         {"json", POST},  {"download", COUNT}, {"file", SAVE},
               {"upload", SEND}, {"upload-file", SEND_FILE}, {"idle", STALL}, {"slow", STALL}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(options.mode, modes[i].name)) continue;
    run_client(&options, modes[i].role);
    return 0;
  }
  static const char *const websocket_modes[] = {"ws-receive", "ws-send", "ws-echo"};
  for (size_t i = 0; i < sizeof websocket_modes / sizeof *websocket_modes; i++) {
    if (strcmp(options.mode, websocket_modes[i])) continue;
    run_websocket(&options);
    return 0;
  }
  if (!strcmp(options.mode, "stall-server")) serve_stalls(options.port);
  else if (!strcmp(options.mode, "sink-server")) serve_sink(options.port);
  else if (!strcmp(options.mode, "websocket-server")) serve_websockets(options.port);
  else misuse("unknown mode: ", options.mode);
  return 0;
}
