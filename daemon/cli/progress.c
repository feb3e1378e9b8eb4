#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"

#include "cli/progress.h"

#define FIRST_NS 300000000	/* anything shorter needs no line */
#define STEP_NS 500000000
#define LINE_MAX_BYTES 200

struct progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool ended, drawn;
	struct timespec begin;
	const char *text;
};

/* The line must not reach the last column: the terminal would begin a new one. */
static void
draw(struct progress *p)
{
	char line[LINE_MAX_BYTES], whole[LINE_MAX_BYTES + 16];
	struct winsize size = { .ws_col = 0 };
	struct timespec now;
	int n, columns = 80;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		columns = size.ws_col;
	n = snprintf(line, sizeof(line), "cudadvise: %s: %ld s", p->text,
	    (long)(now.tv_sec - p->begin.tv_sec -
	    (now.tv_nsec < p->begin.tv_nsec)));
	if (n < 0)
		return;
	n = snprintf(whole, sizeof(whole), "\r%.*s\033[K", columns - 1, line);
	if (n > 0 && write(STDERR_FILENO, whole, (size_t)n) == n)
		p->drawn = true;
}

static void
step(struct timespec *t, long ns)
{

	t->tv_nsec += ns;
	t->tv_sec += t->tv_nsec / 1000000000;
	t->tv_nsec %= 1000000000;
}

static void *
show(void *arg)
{
	struct progress *p = arg;
	struct timespec next = p->begin;

	pthread_mutex_lock(&p->lock);
	step(&next, FIRST_NS);
	while (!p->ended)
		if (pthread_cond_timedwait(&p->over, &p->lock, &next) != 0) {
			draw(p);
			step(&next, STEP_NS);
		}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool
is_wanted(const struct cli *cli)
{
	const char *term = getenv("TERM");

	return !cli->opt.quiet && isatty(STDERR_FILENO) && term != NULL &&
	    *term != '\0' && strcmp(term, "dumb") != 0;
}

struct progress *
progress_begin(const struct cli *cli, const char *text)
{
	struct progress *p;
	pthread_condattr_t monotonic;
	sigset_t all, mask;
	int rc;

	if (!is_wanted(cli) || (p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	p->text = text;
	clock_gettime(CLOCK_MONOTONIC, &p->begin);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->over, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Signals are for the thread that waits for the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	rc = pthread_create(&p->thread, NULL, show, p);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (rc == 0)
		return p;
	pthread_cond_destroy(&p->over);
	pthread_mutex_destroy(&p->lock);
	free(p);
	return NULL;
}

void
progress_end(struct progress *p)
{
	static const char clear[] = "\r\033[K";

	if (p == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_signal(&p->over);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	/* If the terminal is gone, nothing is to be cleared. */
	if (p->drawn && write(STDERR_FILENO, clear, sizeof(clear) - 1) < 0)
		p->drawn = false;
	pthread_cond_destroy(&p->over);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
