/*
 * http/listen.h: the server's listening sockets. All functions return a
 * descriptor (close-on-exec, non-blocking), or -1 with ${e}.
 */
#ifndef CADV_HTTP_LISTEN_H
#define CADV_HTTP_LISTEN_H

#include <stdbool.h>

struct error;

/* listen_unix(path, e): bind ${path} (0600). The socket of a dead daemon is
 * removed; that of a living one is an error. */
int listen_unix(const char *path, struct error *e);

/*
 * listen_loopback(port, fd, e): bind 127.0.0.1 (fd[0]) and ::1 (fd[1], -1 if
 * this machine has no IPv6) at the same ${port}, 0 for a free one. Returns the
 * port.
 */
int listen_loopback(int port, int fd[2], struct error *e);

/* listen_peer_is_us(fd): the peer of the unix connection has our uid. */
bool listen_peer_is_us(int fd);

#endif
