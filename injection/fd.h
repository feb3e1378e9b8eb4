/*
 * fd.h: descriptors of ours that stay open.
 */
#ifndef CADV_FD_H
#define CADV_FD_H

#include <fcntl.h>
#include <unistd.h>

/*
 * fd_aside(fd): ${fd}, which the caller gives up for it, where it is no standard
 * stream. A program that was started without one would read from us there, or
 * print into what goes to the daemon. -1 stays -1.
 */
static inline int
fd_aside(int fd)
{
	int aside;

	if (fd == -1 || fd > STDERR_FILENO)
		return (fd);
	aside = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return (aside);
}

#endif
