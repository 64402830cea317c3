// What the files of the C baseline share.
#ifndef RAW_H
#define RAW_H

// Says what went wrong and ends the program.
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

// Servers for what nginx cannot do, or not cheaply. They print their port and run until they are killed or time is up.
void serve_stalls(long port);
void serve_sink(long port);

#endif
