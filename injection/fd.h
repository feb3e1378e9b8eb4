/*
 * fd.h: file descriptors of the library that stay open. The program may close
 * them (as one does that closes all it did not open) and get their numbers for
 * its own files: each use checks first that the descriptor is still the
 * library's.
 */
#ifndef CADV_FD_H
#define CADV_FD_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor and the file it was opened for. All zero: none. */
struct fd_kept {
	int fd;			/* 0: none; never a standard stream */
	mode_t type;
	dev_t device;
	ino_t inode;
};

/*
 * fd_keep(k, fd): move ${fd}, which the caller gives up, to a high number and
 * keep it in ${k}. A low number could collide with the program's: one that was
 * started without a standard stream would read from it or print into the
 * daemon's socket. -1 with errno if ${fd} is -1 or no number is free.
 */
int fd_keep(struct fd_kept *k, int fd);

/* fd_ours(k): is it open and still the same file? If not, ${k} is cleared. */
bool fd_ours(struct fd_kept *k);

/* fd_drop(k): close it if it is still the library's, and clear ${k}. errno
 * stays. */
void fd_drop(struct fd_kept *k);

#endif
