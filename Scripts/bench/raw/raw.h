// What the files of the C baseline share.
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Says what went wrong and ends the program.
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

// Servers for what nginx cannot do, or not cheaply. They print their port and run until they are killed or time is up.
void serve_stalls(long port);
void serve_sink(long port);
void serve_websockets(long port);

struct connection {
  int socket;
  int64_t left;  // of the body that is being dropped; of a WebSocket, what it is for
};

// What a server does when something arrived. False closes the connection.
typedef bool (*handler)(struct connection *);
void serve(long port, handler handle);

// Reads at most so many bytes and forgets them.
ssize_t drop(int socket, int64_t count);

// A WebSocket client.
int websocket_connect(const char *url, const char *path);
// Returns the number of bytes of all messages until the server closes.
int64_t websocket_receive(int socket);
void websocket_send(int socket, uint64_t size);
void websocket_receive_one(int socket, uint64_t size);
void websocket_close(int socket);

#endif
