// WebSockets (RFC 6455): a server on loopback and a client without a library, with blocking calls. The client neither checks the
// handshake's answer nor copies messages: it is what the frames themselves cost.

#define _GNU_SOURCE
#include "raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// The server: what it does after the handshake is the first word of the path.
//
//   /flood/SIZE/COUNT   sends so many messages of that size, and closes
//   /echo               returns each message
//   /sink               drops messages
//   /idle               nothing

enum { HEADER = 14 };

static uint32_t rotate(uint32_t word, int count) { return word << count | word >> (32 - count); }

// SHA-1 (RFC 3174) of less than 120 bytes.
static void sha1(const char *text, size_t length, uint8_t hash[20]) {
  uint8_t padded[128] = {0};
  size_t size = length < 56 ? 64 : 128;
  memcpy(padded, text, length);
  padded[length] = 0x80;
  for (int i = 0; i < 8; i++) padded[size - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
  uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (size_t start = 0; start < size; start += 64) {
    uint32_t words[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++) {
      const uint8_t *at = padded + start + 4 * i;
      words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (int i = 16; i < 80; i++) words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    for (int i = 0; i < 80; i++) {
      uint32_t mixed = i < 20   ? (b & c) | (~b & d)
                       : i < 40 ? b ^ c ^ d
                       : i < 60 ? (b & c) | (b & d) | (c & d)
                                : b ^ c ^ d;
      uint32_t constant = i < 20 ? 0x5A827999 : i < 40 ? 0x6ED9EBA1 : i < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
      uint32_t next = rotate(a, 5) + mixed + e + words[i] + constant;
      e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
  }
  for (int i = 0; i < 20; i++) hash[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

// The value of Sec-WebSocket-Accept for a request's head. False if it has no key.
static bool accept_key(const char *head, char accept[29]) {
  static const char name[] = "\r\nSec-WebSocket-Key:", guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *key = strcasestr(head, name);
  if (!key) return false;
  key += sizeof name - 1;
  key += strspn(key, " ");
  size_t length = strcspn(key, " \r");
  char text[119];
  if (length + sizeof guid > sizeof text) return false;
  memcpy(text, key, length);
  memcpy(text + length, guid, sizeof guid);
  uint8_t hash[21] = {0};
  sha1(text, length + sizeof guid - 1, hash);
  for (int i = 0; i < 7; i++) {
    uint32_t bits = (uint32_t)hash[3 * i] << 16 | (uint32_t)hash[3 * i + 1] << 8 | hash[3 * i + 2];
    for (int j = 0; j < 4; j++) accept[4 * i + j] = letters[bits >> (18 - 6 * j) & 63];
  }
  accept[27] = '=';
  accept[28] = 0;
  return true;
}

static bool send_all(int socket, const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t sent = send(socket, rest, count, 0);
    if (sent <= 0) return false;
    rest += sent;
    count -= (size_t)sent;
  }
  return true;
}

static bool receive_all(int socket, void *bytes, size_t count) {
  return count == 0 || recv(socket, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

// Writes the header of a binary frame. Returns its size.
static size_t write_header(uint8_t *header, uint64_t size, bool is_masked) {
  uint8_t mask = is_masked ? 0x80 : 0;
  size_t count = 2;
  header[0] = 0x82;
  if (size < 126) {
    header[1] = (uint8_t)(mask | size);
  } else {
    int bytes = size < 65536 ? 2 : 8;
    header[1] = (uint8_t)(mask | (bytes == 2 ? 126 : 127));
    for (int i = 0; i < bytes; i++) header[count++] = (uint8_t)(size >> 8 * (bytes - 1 - i));
  }
  if (is_masked) {
    memcpy(header + count, "\x12\x34\x56\x78", 4);
    count += 4;
  }
  return count;
}

static bool flood(int socket, uint64_t size, int64_t count) {
  uint8_t header[HEADER];
  size_t header_size = write_header(header, size, false), frame = header_size + size;
  size_t batch = frame < (64 << 10) ? (64 << 10) / frame : 1;
  uint8_t *frames = calloc(batch, frame);
  if (!frames) return false;
  for (size_t i = 0; i < batch; i++) memcpy(frames + i * frame, header, header_size);
  bool is_open = true;
  for (int64_t left = count; left > 0 && is_open; left -= (int64_t)batch) {
    size_t next = left < (int64_t)batch ? (size_t)left : batch;
    is_open = send_all(socket, frames, next * frame);
  }
  free(frames);
  return is_open && send_all(socket, "\x88\x02\x03\xE8", 4);
}

enum { BEFORE_HANDSHAKE, ECHO, SINK, IDLE, CLOSING };

static bool take_frame(struct connection *connection) {
  static uint8_t payload[1 << 20];
  uint8_t head[2], more[12];
  if (connection->left == CLOSING || !receive_all(connection->socket, head, 2)) return false;
  int length_size = (head[1] & 0x7F) == 126 ? 2 : (head[1] & 0x7F) == 127 ? 8 : 0;
  if (!receive_all(connection->socket, more, (size_t)length_size + 4)) return false;
  uint64_t size = length_size ? 0 : head[1] & 0x7F;
  for (int i = 0; i < length_size; i++) size = size << 8 | more[i];
  const uint8_t *mask = more + length_size;
  if (connection->left != ECHO || (head[0] & 0x0F) == 8) {
    for (uint64_t left = size; left > 0;) {
      ssize_t count = drop(connection->socket, (int64_t)left);
      if (count <= 0) return false;
      left -= (uint64_t)count;
    }
    if ((head[0] & 0x0F) == 8) send_all(connection->socket, "\x88\x02\x03\xE8", 4);
    return (head[0] & 0x0F) != 8;
  }
  if (size > sizeof payload - HEADER || !receive_all(connection->socket, payload + HEADER, size)) return false;
  for (uint64_t i = 0; i < size; i++) payload[HEADER + i] ^= mask[i % 4];
  uint8_t header[HEADER];
  size_t header_size = write_header(header, size, false);
  header[0] = head[0];
  memcpy(payload + HEADER - header_size, header, header_size);
  return send_all(connection->socket, payload + HEADER - header_size, header_size + size);
}

static bool talk(struct connection *connection) {
  if (connection->left != BEFORE_HANDSHAKE) return take_frame(connection);
  char request[16 << 10], accept[29], response[256];
  ssize_t count = recv(connection->socket, request, sizeof request - 1, 0);
  if (count <= 0) return false;
  request[count] = 0;
  if (!accept_key(request, accept)) return false;
  int length = snprintf(response, sizeof response,
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Accept: %s\r\n\r\n",
                        accept);
  if (!send_all(connection->socket, response, (size_t)length)) return false;
  unsigned long size, messages;
  if (sscanf(request, "GET /flood/%lu/%lu", &size, &messages) == 2) {
    connection->left = CLOSING;
    return flood(connection->socket, size, (int64_t)messages);
  }
  connection->left = strstr(request, "GET /echo") ? ECHO : strstr(request, "GET /sink") ? SINK : IDLE;
  return true;
}

void serve_websockets(long port) { serve(port, talk); }

// The client.

int websocket_connect(const char *url, const char *path) {
  unsigned port;
  if (sscanf(url, "http://127.0.0.1:%u", &port) != 1) fail("not the URL of the server: %s", url);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int connected = socket(AF_INET, SOCK_STREAM, 0);
  if (connected < 0 || connect(connected, (struct sockaddr *)&address, sizeof address) != 0)
    fail("cannot connect: %s", strerror(errno));
  char text[512];
  int length = snprintf(text, sizeof text,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                        path, port);
  if (!send_all(connected, text, (size_t)length)) fail("cannot send: %s", strerror(errno));
  for (const char *end = "\r\n\r\n"; *end;) {
    char byte;
    if (!receive_all(connected, &byte, 1)) fail("no answer to the handshake");
    end = byte == *end ? end + 1 : byte == '\r' ? "\n\r\n" : "\r\n\r\n";
  }
  return connected;
}

int64_t websocket_receive(int socket) {
  static uint8_t buffer[256 << 10];
  size_t held = 0;
  int64_t bytes = 0;
  uint64_t left = 0;  // of a payload
  while (true) {
    ssize_t count = recv(socket, buffer + held, sizeof buffer - held, 0);
    if (count <= 0) fail("the server does not close");
    size_t at = 0, end = held + (size_t)count;
    while (true) {
      size_t part = left < end - at ? left : end - at;
      at += part;
      left -= part;
      if (left > 0 || end - at < 2) break;
      size_t length_size = buffer[at + 1] == 126 ? 2 : buffer[at + 1] == 127 ? 8 : 0;
      if (end - at < 2 + length_size) break;
      left = length_size ? 0 : buffer[at + 1];
      for (size_t i = 0; i < length_size; i++) left = left << 8 | buffer[at + 2 + i];
      if ((buffer[at] & 0x0F) == 8) {
        send_all(socket, "\x88\x80\0\0\0\0", 6);
        return bytes;
      }
      bytes += (int64_t)left;
      at += 2 + length_size;
    }
    memmove(buffer, buffer + at, end - at);
    held = end - at;
  }
}

void websocket_send(int socket, uint64_t size) {
  static uint8_t frame[HEADER + (1 << 20)];
  static const uint8_t payload[1 << 20], mask[4] = {0x12, 0x34, 0x56, 0x78};
  if (size > sizeof payload) fail("--bytes is too large");
  size_t header = write_header(frame, size, true);
  for (uint64_t i = 0; i < size; i++) frame[header + i] = payload[i] ^ mask[i % 4];
  if (!send_all(socket, frame, header + size)) fail("cannot send: %s", strerror(errno));
}

void websocket_receive_one(int socket, uint64_t size) {
  static uint8_t frame[HEADER + (1 << 20)];
  size_t header = size < 126 ? 2 : size < 65536 ? 4 : 10;
  if (!receive_all(socket, frame, header + size)) fail("the server does not answer");
}

void websocket_close(int socket) {
  uint8_t answer[4];
  if (!send_all(socket, "\x88\x80\0\0\0\0", 6) || !receive_all(socket, answer, 4)) fail("the server does not close");
  close(socket);
}
