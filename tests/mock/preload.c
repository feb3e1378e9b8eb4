/*
 * preload.c: preloaded before libc with LD_PRELOAD; changes calls of the
 * program. PRELOAD_EXIT=code: _exit ends with this code. PRELOAD_NO_THREAD: the
 * injection library cannot create threads.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void
_exit(int status)
{
	const char *code = getenv("PRELOAD_EXIT");

	if (code != NULL)
		status = atoi(code);
	for (;;)
		syscall(SYS_exit_group, status);
}

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
    void *);

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
    void *(*start)(void *), void *cookie)
{
	create *next;
	Dl_info info;

	*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	if (getenv("PRELOAD_NO_THREAD") != NULL &&
	    dladdr(__builtin_return_address(0), &info) != 0 &&
	    strstr(info.dli_fname, "libcudadvise_injection") != NULL)
		return EAGAIN;
	return next(thread, attr, start, cookie);
}
