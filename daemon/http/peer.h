/*
 * http/peer.h: the user at the other end of a connection on this machine.
 */
#ifndef CADV_HTTP_PEER_H
#define CADV_HTTP_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * peer_uid(fd, uid): the user who owns the other end of the loopback TCP connection
 * ${fd}, from /proc/net. 0; -1 if it is not listed there: unknown.
 */
int peer_uid(int fd, uid_t *uid);

/* peer_is_us(fd): whether that is this user, or root, who can read everything here
 * anyway. */
bool peer_is_us(int fd);

#endif
