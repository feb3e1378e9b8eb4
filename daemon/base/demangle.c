#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/demangle.h"

/* From the C++ ABI library, which the toolchain has anyway (libsupc++). Unlike
 * __cxa_demangle it passes the name on piece by piece and keeps its state on the stack:
 * it can be left by siglongjmp at any moment without a leak. */
int __gcclibcxx_demangle_callback(const char *mangled,
    void (*take)(const char *, size_t, void *), void *arg);

/* No kernel name that a person wrote is longer when mangled. The limit also bounds the
 * library's use of the stack. */
#define MANGLED_MAX 16384
#define DEMANGLED_MAX 65535
#define TIMER_SIGNAL SIGVTALRM

#ifndef sigev_notify_thread_id		/* glibc before 2.38 lacks it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct work {
	char *text;
	size_t len;
};

/* Per thread: where the signal handler jumps to when the name's time is over. */
static _Thread_local sigjmp_buf out;
static _Thread_local volatile sig_atomic_t inside;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int handled;

static void
leave(int signal)
{

	(void)signal;
	if (!inside)
		return;		/* the timer fired after the name was done */
	inside = 0;
	siglongjmp(out, 1);
}

static void
handle(void)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_handler = leave;
	a.sa_flags = SA_RESTART;
	sigemptyset(&a.sa_mask);
	handled = sigaction(TIMER_SIGNAL, &a, NULL) == 0;
}

static void
take(const char *s, size_t len, void *arg)
{
	struct work *w = arg;

	if (len > DEMANGLED_MAX - w->len) {
		inside = 0;
		siglongjmp(out, 1);
	}
	memcpy(w->text + w->len, s, len);
	w->len += len;
}

/* 0, or -1: either ${mangled} is no C++ name, or its time or space was over and
 * *${left} is set. */
static int
work_run(struct work *w, const char *mangled, timer_t timer, uint64_t ns,
    int *left)
{
	const struct itimerspec at = { .it_value = {
	    (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) } };
	int rc;

	/* The signal mask is not saved: the caller restores it. */
	if (sigsetjmp(out, 0) != 0) {
		*left = 1;
		return -1;
	}
	inside = 1;
	rc = timer_settime(timer, 0, &at, NULL) != 0 ? -1 :
	    __gcclibcxx_demangle_callback(mangled, take, w);
	inside = 0;
	return rc != 0 ? -1 : 0;
}

/* Like work_run, with a timer of ${ns} of this thread's processor time. Without a timer
 * nothing is demangled. */
static int
work_timed(struct work *w, const char *mangled, uint64_t ns, int *left)
{
	struct sigevent event;
	sigset_t open, before;
	timer_t timer;
	int rc;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = TIMER_SIGNAL;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	pthread_once(&once, handle);
	if (!handled || timer_create(CLOCK_THREAD_CPUTIME_ID, &event,
	    &timer) != 0) {
		*left = 1;
		return -1;
	}
	sigemptyset(&open);
	sigaddset(&open, TIMER_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &open, &before);
	rc = work_run(w, mangled, timer, ns, left);
	timer_delete(timer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* The processor time, in ns, that the next name may take. */
static uint64_t
share(const struct demangling *d)
{
	uint64_t all = DEMANGLE_RUN_NS + DEMANGLE_BYTE_NS * d->bytes;

	if (d->spent_ns >= all)
		return 0;
	return all - d->spent_ns < DEMANGLE_NAME_NS ? all - d->spent_ns :
	    DEMANGLE_NAME_NS;
}

static bool
in_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* Removes "_INTERNAL_0ed54530_17_barrier_stalls_cu_11a71664::", the namespace that nvcc
 * gives to static functions: a file name and two hashes, which differ from build to
 * build. Returns the new length. */
static size_t
drop_internal(char *text, size_t len)
{
	static const char name[] = "_INTERNAL_";
	size_t at = 0, from, end;

	for (from = 0; from < len;) {
		if (len - from < sizeof(name) || (from > 0 &&
		    in_name(text[from - 1])) ||
		    memcmp(text + from, name, sizeof(name) - 1) != 0) {
			text[at++] = text[from++];
			continue;
		}
		for (end = from; end < len && in_name(text[end]);)
			end++;
		if (len - end >= 2 && memcmp(text + end, "::", 2) == 0) {
			from = end + 2;
			continue;
		}
		memmove(text + at, text + from, end - from);
		at += end - from;
		from = end;
	}
	return at;
}

char *
demangle_name(struct demangling *d, const char *mangled)
{
	struct work w = { .len = 0 };
	size_t len = strlen(mangled);
	uint64_t begin, ns;
	int rc, left = 0;
	char *shrunk;

	if (strncmp(mangled, "_Z", 2) != 0 || len > MANGLED_MAX)
		return strdup(mangled);
	d->bytes += len;
	if ((ns = share(d)) == 0) {
		d->raw++;
		return strdup(mangled);
	}
	if ((w.text = malloc(DEMANGLED_MAX + 1)) == NULL)
		return NULL;
	begin = clock_at(CLOCK_THREAD_CPUTIME_ID);
	rc = work_timed(&w, mangled, ns, &left);
	d->spent_ns += clock_at(CLOCK_THREAD_CPUTIME_ID) - begin;
	d->raw += left != 0;
	if (rc != 0) {
		free(w.text);
		return strdup(mangled);
	}
	w.len = drop_internal(w.text, w.len);
	w.text[w.len] = '\0';
	shrunk = realloc(w.text, w.len + 1);
	return shrunk != NULL ? shrunk : w.text;
}
