// Two small servers on loopback, so that the client under test is what costs: one whose responses never end, one that
// drops what it is sent. A request's head is taken to arrive in one piece, which small ones on loopback do.

#define _GNU_SOURCE
#include "raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static bool say(const struct connection *connection, const char *text) {
  return send(connection->socket, text, strlen(text), 0) == (ssize_t)strlen(text);
}

static bool stall(struct connection *connection) {
  char request[16 << 10];
  return recv(connection->socket, request, sizeof request, 0) > 0 &&
         say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
}

// Linux drops the bytes without copying them.
ssize_t drop(int socket, int64_t count) {
  static char bytes[1 << 20];
#ifdef __linux__
  int flags = MSG_TRUNC;
#else
  int flags = 0;
#endif
  return recv(socket, bytes, count < (int64_t)sizeof bytes ? (size_t)count : sizeof bytes, flags);
}

static bool swallow(struct connection *connection) {
  if (connection->left > 0) {
    ssize_t count = drop(connection->socket, connection->left);
    if (count <= 0) return false;
    connection->left -= count;
  } else {
    char request[16 << 10];
    ssize_t count = recv(connection->socket, request, sizeof request - 1, 0);
    if (count <= 0) return false;
    request[count] = 0;
    const char *end = strstr(request, "\r\n\r\n"), *length = strcasestr(request, "\r\nContent-Length:");
    if (!end || !length || length > end) return false;
    connection->left = strtoll(length + strlen("\r\nContent-Length:"), NULL, 10) - (request + count - (end + 4));
  }
  return connection->left > 0 || say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

static int listen_on(long port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0)
    fail("cannot listen on port %ld: %s", port, strerror(errno));
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

// The first of `sockets` is the listener's; `connections` has its entries at the same places.
void serve(long port, handler handle) {
  size_t count = 1, capacity = 16384;
  struct pollfd *sockets = calloc(capacity, sizeof *sockets);
  struct connection *connections = calloc(capacity, sizeof *connections);
  if (!sockets || !connections) fail("out of memory");
  sockets[0] = (struct pollfd){.fd = listen_on(port), .events = POLLIN};
  while (poll(sockets, (nfds_t)count, -1) > 0) {
    for (size_t i = count; i-- > 1;) {
      if (!sockets[i].revents || handle(&connections[i])) continue;
      close(sockets[i].fd);
      sockets[i] = sockets[--count];
      connections[i] = connections[count];
    }
    if (!sockets[0].revents) continue;
    int socket = accept(sockets[0].fd, NULL, NULL);
    if (socket < 0) fail("accept: %s", strerror(errno));
    if (count == capacity) fail("more than %zu connections", capacity - 1);
    connections[count] = (struct connection){.socket = socket};
    sockets[count++] = (struct pollfd){.fd = socket, .events = POLLIN};
  }
  fail("poll: %s", strerror(errno));
}

void serve_stalls(long port) { serve(port, stall); }
void serve_sink(long port) { serve(port, swallow); }
