/*
 * fd.h: descriptors of ours that stay open. The program may close them, as one
 * does that closes all it did not open, and what has their numbers then is its
 * own: each use asks first whether it is still ours.
 */
#ifndef CADV_FD_H
#define CADV_FD_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor and what it stood for when it was opened. All zero: none. */
struct fd_kept {
	int fd;			/* 0: none; ours are no standard stream */
	mode_t type;
	dev_t device;
	ino_t inode;
};

/*
 * fd_keep(k, fd): keep ${fd}, which the caller gives up for it, in ${k} under a
 * high number, where a program does not look for its own: one that was started
 * without a standard stream would read from us there, or print into what goes
 * to the daemon. -1 with errno if ${fd} is -1 or there is no number left.
 */
int fd_keep(struct fd_kept *k, int fd);

/* fd_ours(k): is it open and still what it was? If not it is forgotten. */
bool fd_ours(struct fd_kept *k);

/* fd_drop(k): close it if it is ours, and forget it. errno stays. */
void fd_drop(struct fd_kept *k);

#endif
