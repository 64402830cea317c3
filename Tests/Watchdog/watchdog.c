#define _GNU_SOURCE
#include "watchdog.h"

// Ends a test process in which no test begins or ends for five minutes, and prints the names of the tests that run: a test that
// waits for ever has no other way to say its name. FARADAY_TEST_LIMIT is another number of seconds.
//
// The process executes itself once more with an event stream of Swift Testing, which a child process reads. The child shares
// nothing with the tests, so that it works however they hang.
#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A running test, or a case of one that has arguments.
struct running {
  struct running *next;
  char name[];
};

// Copies a member's string value from a line of JSON, without quotes and backslashes, and returns the end of the copy.
static char *copy_string(char *target, char *end, const char *line, const char *member) {
  const char *value = strstr(line, member);
  if (!value) return target;
  for (value += strlen(member); *value && *value != '"' && target < end; *target++ = *value++) {
    if (*value == '\\' && value[1]) value++;
  }
  return target;
}

static void set_name(char *name, size_t size, const char *line) {
  char *end = name + size - 3;
  char *target = copy_string(name, end, line, "\"testID\":\"");
  char *arguments = stpcpy(target, ": ");
  // Cases only.
  target = copy_string(arguments, end, line, "\"_testCase\":{\"displayName\":\"");
  *(target == arguments ? arguments - 2 : target) = 0;
}

static void note(struct running **first, const char *line) {
  bool starts = strstr(line, "\"kind\":\"testStarted\"") || strstr(line, "\"kind\":\"testCaseStarted\"");
  bool ends = strstr(line, "\"kind\":\"testEnded\"") || strstr(line, "\"kind\":\"testCaseEnded\"");
  if (!starts && !ends) return;
  char name[1000];
  set_name(name, sizeof name, line);
  // Only the names of functions have a file.
  if (!strstr(name, ".swift:")) return;
  if (starts) {
    struct running *added = malloc(sizeof *added + strlen(name) + 1);
    if (!added) return;
    strcpy(added->name, name);
    added->next = *first;
    *first = added;
    return;
  }
  for (; *first; first = &(*first)->next) {
    if (strcmp((*first)->name, name)) continue;
    struct running *ended = *first;
    *first = ended->next;
    free(ended);
    return;
  }
}

// A debugger may hold the process for as long as it likes.
static bool is_traced(pid_t process) {
  char path[64], line[256];
  int tracer = 0;
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *status = fopen(path, "re");
  while (status && fgets(line, sizeof line, status)) {
    if (sscanf(line, "TracerPid: %d", &tracer) == 1) break;
  }
  if (status) fclose(status);
  return tracer;
}

static int limit_in_seconds(void) {
  const char *text = getenv("FARADAY_TEST_LIMIT");
  int limit = text ? atoi(text) : 0;
  return limit > 0 && limit < 1000000 ? limit : 300;
}

// Reads the events until the process has ended. A runner's own event stream gets a copy.
static void watch(pid_t process, int events, const char *copy_path) {
  int limit = limit_in_seconds();
  FILE *copy = copy_path ? fopen(copy_path, "we") : NULL;
  struct running *running = NULL;
  bool has_begun = false;
  char *line = NULL;
  size_t length = 0, capacity = 0;
  while (true) {
    struct pollfd wait = {.fd = events, .events = POLLIN};
    int ready = poll(&wait, 1, has_begun ? limit * 1000 : -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (is_traced(process)) continue;
      fprintf(stderr, "\nno test began or ended for %d seconds; these run:\n", limit);
      for (; running; running = running->next) fprintf(stderr, "  %s\n", running->name);
      if (getppid() == process) kill(process, SIGKILL);
      return;
    }
    if (capacity - length < 1 << 16) {
      line = realloc(line, capacity = 2 * capacity + (1 << 16));
      if (!line) return;
    }
    ssize_t count = read(events, line + length, capacity - length - 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    if (copy) fwrite(line + length, 1, count, copy), fflush(copy);
    length += count;
    char *rest = line, *end;
    for (; (end = memchr(rest, '\n', line + length - rest)); rest = end + 1) {
      *end = 0;
      note(&running, rest);
      has_begun = has_begun || running;
    }
    length = line + length - rest;
    memmove(line, rest, length);
  }
}

__attribute__((constructor)) static void start_watchdog(int count, char **arguments) {
  // The second execution. Programs that tests start do not inherit the pipe.
  const char *inherited = getenv("FARADAY_TEST_EVENTS");
  if (inherited) {
    fcntl(atoi(inherited), F_SETFD, FD_CLOEXEC);
    unsetenv("FARADAY_TEST_EVENTS");
    return;
  }
  if (getenv("SWT_EXIT_TEST_ID") || is_traced(getpid())) return;
  bool tests = false;
  char *copy = NULL;
  char **changed = calloc(count + 3, sizeof *changed);
  if (!changed) return;
  int kept = 0;
  for (int index = 0; index < count; index++) {
    if (strstr(arguments[index], "event-stream-output") && index + 1 < count) {
      copy = arguments[++index];
      continue;
    }
    tests = tests || !strcmp(arguments[index], "swift-testing");
    changed[kept++] = arguments[index];
  }
  int pipe_ends[2];
  if (!tests || pipe2(pipe_ends, 0)) return free(changed);
  pid_t process = getpid(), child = fork();
  if (child == 0) {
    close(pipe_ends[1]);
    // Whoever reads the output of the tests does not wait for this process.
    close(STDOUT_FILENO);
    watch(process, pipe_ends[0], copy);
    _exit(0);
  }
  close(pipe_ends[0]);
  if (child < 0) return;
  char path[64], number[16];
  snprintf(path, sizeof path, "/proc/self/fd/%d", pipe_ends[1]);
  snprintf(number, sizeof number, "%d", pipe_ends[1]);
  changed[kept++] = "--event-stream-output-path";
  changed[kept] = path;
  setenv("FARADAY_TEST_EVENTS", number, 1);
  // Adds the arguments of a test's case to the events.
  setenv("SWT_EXPERIMENTAL_EVENT_STREAM_FIELDS_ENABLED", "1", 1);
  execv("/proc/self/exe", changed);
  // Without a watchdog the tests run all the same.
  unsetenv("FARADAY_TEST_EVENTS");
}
#endif
