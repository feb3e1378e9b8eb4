/*
 * fd.h: file descriptors of the library that stay open. The program may close them (as
 * a program does that closes everything it did not open) and may then get their numbers
 * for its own files. So each use first checks that the descriptor still belongs to the
 * library.
 */
#ifndef CADV_FD_H
#define CADV_FD_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor and the identity of its file. All zero: none. */
struct fd_kept {
	int fd;			/* 0: none; never a standard stream */
	mode_t type;
	dev_t device;
	ino_t inode;
};

/*
 * fd_keep(k, fd): move ${fd} to a high number and keep it in ${k}; ${fd} is closed in
 * any case. A low number could collide with the program's: a program that was started
 * without a standard stream would read from the daemon's socket, or print into it. 0;
 * -1 with errno set if ${fd} is -1 or no number is free.
 */
int fd_keep(struct fd_kept *k, int fd);

/* fd_ours(k): whether the descriptor is open and still the same file. If not, ${k} is
 * cleared. */
bool fd_ours(struct fd_kept *k);

/* fd_drop(k): close the descriptor if it still belongs to the library, and clear ${k}.
 * errno is kept. */
void fd_drop(struct fd_kept *k);

#endif
