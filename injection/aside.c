#include <errno.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/close_range.h>

#include "aside.h"

static struct {
	sem_t asked, done;
	bool runs;		/* the thread runs, with its own table */
	void (*work)(void *);
	void *cookie;
} aside;

void
aside_init(void)
{

	sem_init(&aside.asked, 0, 0);
	sem_init(&aside.done, 0, 0);
}

/* The callers block all signals; EINTR is handled all the same. */
static void
await(sem_t *s)
{

	while (sem_wait(s) != 0 && errno == EINTR)
		continue;
}

void *
aside_main(void *cookie)
{

	/* The standard streams are closed in this table, too: whoever reads the
	 * program's output until its end would otherwise wait for this thread. Kernels
	 * before 5.9 return ENOSYS. */
	aside.runs = syscall(SYS_close_range, 0u, ~0u,
	    CLOSE_RANGE_UNSHARE) == 0;
	sem_post(&aside.done);
	while (aside.runs) {
		await(&aside.asked);
		aside.work(aside.cookie);
		sem_post(&aside.done);
	}
	return cookie;
}

void
aside_ready(void)
{

	await(&aside.done);
}

void
aside_do(void (*work)(void *), void *cookie)
{

	if (!aside.runs) {
		work(cookie);
		return;
	}
	aside.work = work;
	aside.cookie = cookie;
	sem_post(&aside.asked);
	await(&aside.done);
}

void
aside_fork_child(void)
{

	aside.runs = false;
}
