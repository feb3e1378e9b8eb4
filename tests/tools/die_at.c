/*
 * die_at.c: preloaded; kills the process (SIGKILL) between two changes of
 * files. DIE_AT=N: before the N-th call that creates, renames, truncates,
 * removes or writes a file, counted while the file $DIE_ARMED exists.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;

static void
maybe(void)
{
	const char *armed = getenv("DIE_ARMED"), *at = getenv("DIE_AT");
	struct stat st;

	if (armed == NULL || at == NULL || stat(armed, &st) != 0)
		return;
	if (atomic_fetch_add(&calls, 1) + 1 == atoi(at))
		raise(SIGKILL);
}

#define NEXT(name) static __typeof__(name) *next;			\
	if (next == NULL)						\
		*(void **)&next = dlsym(RTLD_NEXT, #name)

int
rename(const char *from, const char *to)
{
	NEXT(rename);
	maybe();
	return next(from, to);
}

int
unlink(const char *path)
{
	NEXT(unlink);
	maybe();
	return next(path);
}

int
rmdir(const char *path)
{
	NEXT(rmdir);
	maybe();
	return next(path);
}

int
mkdir(const char *path, mode_t mode)
{
	NEXT(mkdir);
	maybe();
	return next(path, mode);
}

int
ftruncate(int fd, off_t length)
{
	NEXT(ftruncate);
	maybe();
	return next(fd, length);
}

/* Called by the database for each page that it writes. */
ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	NEXT(pwrite);
	maybe();
	return next(fd, p, n, at);
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	NEXT(pwrite64);
	maybe();
	return next(fd, p, n, at);
}

/* Called for the frames of a capture. */
ssize_t
write(int fd, const void *p, size_t n)
{
	NEXT(write);
	maybe();
	return next(fd, p, n);
}
