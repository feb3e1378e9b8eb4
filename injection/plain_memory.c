#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "plain_memory.h"

/* Whether the file of a mapping, "" if it has none, is memory: not a device, but for
 * those that stand for shared memory. */
static bool
is_memory(const char *path)
{

	return strncmp(path, "/dev/", 5) != 0 ||
	    strncmp(path, "/dev/zero", 9) == 0 ||
	    strncmp(path, "/dev/shm/", 9) == 0;
}

/* Moves *${at} to the end of the mapping that ${line} tells of, if *${at} lies in it.
 * False if that mapping is none to read. */
static bool
follow(const char *line, uint64_t *at)
{
	uint64_t from, to;
	char protection[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &from,
	    &to, protection, &path) != 3 || *at < from || *at >= to)
		return true;
	*at = to;
	return protection[0] == 'r' && path != 0 && is_memory(line + path);
}

bool
plain_memory_is(uint64_t from, uint64_t bytes, char *work, size_t size)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	uint64_t at = from, end = from + bytes;
	size_t have = 0;
	bool plain = fd != -1 && end > from;
	char *line, *next;
	ssize_t n;

	while (plain && at < end && have < size - 1 &&
	    (n = read(fd, work + have, size - 1 - have)) > 0) {
		have += (size_t)n;
		work[have] = '\0';
		for (line = work; plain && at < end &&
		    (next = strchr(line, '\n')) != NULL; line = next + 1) {
			*next = '\0';
			plain = follow(line, &at);
		}
		have = strlen(line);
		memmove(work, line, have);
	}
	if (fd != -1)
		close(fd);
	return plain && at >= end;
}

int
plain_memory_read(const struct plain_piece *piece, size_t n, void *into)
{
	struct iovec remote[PLAIN_MEMORY_PIECES], local = { into, 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		remote[i] = (struct iovec){
		    .iov_base = (void *)(uintptr_t)piece[i].from,
		    .iov_len = piece[i].bytes };
		local.iov_len += piece[i].bytes;
	}
	return process_vm_readv(getpid(), &local, 1, remote, n, 0) ==
	    (ssize_t)local.iov_len ? 0 : -1;
}
