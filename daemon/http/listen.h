/*
 * http/listen.h: the server's listening sockets. Descriptors are close-on-exec and
 * non-blocking. The first two functions return -1 with ${e} set.
 */
#ifndef CADV_HTTP_LISTEN_H
#define CADV_HTTP_LISTEN_H

#include <stdbool.h>

struct error;

/* listen_unix(path, e): bind ${path} (mode 0600) and return the descriptor. A socket
 * that a dead daemon left is removed; one with a daemon behind it is an error. */
int listen_unix(const char *path, struct error *e);

/*
 * listen_loopback(port, fd, e): bind 127.0.0.1 (fd[0]) and ::1 (fd[1], -1 if this
 * machine has no IPv6) at the same ${port}; 0: any free one. Returns the port.
 */
int listen_loopback(int port, int fd[2], struct error *e);

/* listen_peer_is_us(fd): whether the peer of the unix connection has our uid. */
bool listen_peer_is_us(int fd);

#endif
