/*
 * http/peer.h: whose the other end of a connection on this machine is.
 */
#ifndef CADV_HTTP_PEER_H
#define CADV_HTTP_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * peer_uid(fd, uid): the user of the socket at the other end of the loopback
 * TCP connection ${fd}, as the kernel lists it in /proc/net. -1 if it does not:
 * then nothing is known about it.
 */
int peer_uid(int fd, uid_t *uid);

/* peer_is_us(fd): it is ours, or the administrator's, who needs no code of
 * ours to read everything here. */
bool peer_is_us(int fd);

#endif
