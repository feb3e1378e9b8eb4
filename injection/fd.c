#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"

/* Lowest numbers to try. The first is above what select() and most programs' own tables
 * can hold, the others are for programs with a low limit of descriptors. */
static const int aside[] = { 1024, 512, 128, STDERR_FILENO + 1 };

int
fd_keep(struct fd_kept *k, int fd)
{
	struct stat sb;
	size_t i;
	int high = -1, saved;

	*k = (struct fd_kept){ 0 };
	if (fd == -1)
		return -1;
	for (i = 0; i < sizeof(aside) / sizeof(aside[0]) && high == -1; i++)
		high = fcntl(fd, F_DUPFD_CLOEXEC, aside[i]);
	if (high != -1 && fstat(high, &sb) == 0)
		*k = (struct fd_kept){ .fd = high,
		    .type = sb.st_mode & S_IFMT, .device = sb.st_dev,
		    .inode = sb.st_ino };
	saved = errno;
	close(fd);
	errno = saved;
	return k->fd != 0 ? 0 : -1;
}

bool
fd_ours(struct fd_kept *k)
{
	struct stat sb;

	if (k->fd != 0 && (fstat(k->fd, &sb) != 0 ||
	    (sb.st_mode & S_IFMT) != k->type || sb.st_dev != k->device ||
	    sb.st_ino != k->inode))
		k->fd = 0;
	return k->fd != 0;
}

void
fd_drop(struct fd_kept *k)
{
	int saved = errno, fd;

	if (fd_ours(k)) {
		/* Clear it before closing it: if the program forks in between, the
		 * child would close whatever file has this number by then. */
		fd = k->fd;
		k->fd = 0;
		close(fd);
	}
	errno = saved;
}
