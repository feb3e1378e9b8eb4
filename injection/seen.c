#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "emit.h"
#include "inject.h"
#include "nap.h"
#include "python.h"
#include "python_peek.h"
#include "seen.h"
#include "thread.h"

#define TEXT 8192		/* bytes of a stack's frames, as a call site's */
#define INNER 24		/* frames; arithmetic: what is left of TEXT has room for the
				 * program's own */
#define EVERY_NS 10000000ull	/* between two looks, at least */
#define LOOKS 6000		/* and one part in this many of the run: so many looks, and a
				 * few times as many in a run of days */
#define LOOK_SHARE 200		/* of a processor's time, one part in this many */
#define FIRST_LOOKS 100		/* which read all names, and may take */
#define FIRST_SHARE 20		/* one part in this many */
#define PERIODS 4		/* a look stands for so many intervals at most */
#define TRIES 16		/* stacks by which the reader is checked */
#define SLOTS 8192		/* of the table of known stacks; a power of two */
#define FULL (SLOTS / 4 * 3)

/* Are frames read rightly? */
enum checked {
	NO_THREAD,		/* none ran Python yet */
	WANTED,			/* one does; seen_start looks up the interpreter */
	UNKNOWN, RIGHT, WRONG,
};

static struct {
	_Atomic int checked;		/* enum checked */
	_Atomic(const void *) thread;	/* the PyThreadState to look at */
	_Atomic uint32_t tid;		/* 0: none, or it has ended */
	atomic_flag busy;		/* a thread is in seen_watch */
	unsigned tries;
	seen_site_fn *site;		/* NULL: not started */
	struct peek peek;
	char text[TEXT];
	struct {
		uint64_t hash;		/* of a stack; 0: free */
		uint32_t site;
	} slot[SLOTS];
	uint32_t slots;
} seen = { .busy = ATOMIC_FLAG_INIT };

/* Is it a file of Python's library or of an installed package? Their lines do not tell
 * more than their functions, and there are many. */
static bool
is_package(const char *file, size_t len)
{
	static const char *const in[] = { "/site-packages/", "/dist-packages/",
	    "/lib/python3" };

	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		if (memmem(file, len, in[i], strlen(in[i])) != NULL)
			return true;
	return len > 0 && file[0] == '<';
}

/* The frames in seen.peek as text; returns its length. Stops when the next frame might not
 * fit. Of packages' frames only the INNER innermost are kept: a compiler's stack is deeper
 * than there is room for, and its outermost frames are those of the program. */
static size_t
write_text(bool (*package)(const char *file, size_t len))
{
	size_t used = 0, n;

	for (size_t i = 0; i < seen.peek.frames &&
	    sizeof(seen.text) - used >= PEEK_LINE; i++) {
		char *line = seen.text + used;

		n = python_peek_text(&seen.peek.frame[i], package, line);
		if (i >= INNER && package != NULL && n > 0 && package(line,
		    (size_t)((char *)memchr(line, '\t', n) - line)))
			continue;
		used += n;
	}
	return used;
}

/* The next ASCII character of [*${p}, end), behind which *${p} is moved; -1: none. The others
 * are left out, which the interpreter writes as \xe9, \u4e2d or \U0001f600. */
static int
next_ascii(const char **p, const char *end)
{
	while (*p < end) {
		char c = *(*p)++, kind = c == '\\' && *p < end ? **p : '\0';
		size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;

		if (digits > 0)
			*p += digits < (size_t)(end - *p) ? digits + 1 : (size_t)(end - *p);
		else if ((unsigned char)c < 0x80)
			return c;
	}
	return -1;
}

/* Does ${text} begin like seen.text, of ${len} bytes: with its first two lines, or with all
 * that it has? */
static bool
begins_alike(const char *text, size_t size, size_t len)
{
	const char *ours = seen.text, *its = text;
	unsigned lines = 0;
	int c = 0;

	while (lines < 2 && (c = next_ascii(&ours, seen.text + len)) != -1) {
		if (c != next_ascii(&its, text + size))
			return false;
		lines += c == '\n';
	}
	return lines > 0;
}

/* Compares the frames of ${thread}, the calling one, with ${text}, which is what the
 * interpreter says. */
static void
check(const void *thread, const char *text, size_t len)
{

	if (python_peek(thread, &seen.peek) &&
	    begins_alike(text, len, write_text(NULL)))
		atomic_store(&seen.checked, RIGHT);
	else if (++seen.tries >= TRIES)
		atomic_store(&seen.checked, WRONG);
}

void
seen_watch(const char *text, size_t len)
{
	uint32_t tid = atomic_load_explicit(&seen.tid, memory_order_relaxed);
	uint32_t own = inject_tid();
	int none = NO_THREAD;
	const void *thread;

	/* A thread that has not been made by Python gets a new state each time it enters
	 * the interpreter. */
	if ((tid != 0 && own != tid && own != (uint32_t)inject.pid) ||
	    atomic_load_explicit(&seen.checked, memory_order_relaxed) == WRONG ||
	    atomic_compare_exchange_strong(&seen.checked, &none, WANTED) ||
	    none == WANTED || atomic_flag_test_and_set(&seen.busy))
		return;
	thread = python_thread();
	if (thread != NULL && atomic_load(&seen.checked) == UNKNOWN)
		check(thread, text, len);
	if (thread != NULL && atomic_load(&seen.checked) == RIGHT) {
		atomic_store(&seen.thread, thread);
		atomic_store(&seen.tid, own);
	}
	atomic_flag_clear(&seen.busy);
}

/* The number of the site whose stack is in seen.peek; 0: there is no room for it. */
static uint32_t
site_of(void)
{
	uint64_t hash = seen.peek.hash != 0 ? seen.peek.hash : 1;
	uint32_t i = (uint32_t)hash & (SLOTS - 1), site;
	size_t len;

	for (; seen.slot[i].hash != 0; i = (i + 1) & (SLOTS - 1))
		if (seen.slot[i].hash == hash)
			return seen.slot[i].site;
	len = write_text(is_package);
	site = len > 0 ? seen.site(seen.text, len, atomic_load(&seen.tid)) : 0;
	if (seen.slots < FULL) {
		seen.slot[i].hash = hash;
		seen.slot[i].site = site;
		seen.slots++;
	}
	return site;
}

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* When to look next: at pseudo-random distances from half as long to one and a half times
 * as long, so that the looks do not fall into step with a loop of the program. */
static void
wait_for(uint64_t every, uint64_t look)
{
	uint64_t ns = every / 2 + XXH64(&look, sizeof(look), 0) % every;

	/* A nap is shorter than a second. */
	for (; ns > 0 && inject_active(); ns -= ns < 100000000 ? ns : 100000000)
		nap(ns < 100000000 ? (uint32_t)ns : 100000000);
}

static uint64_t
max(uint64_t a, uint64_t b)
{

	return a > b ? a : b;
}

/* Has the thread ended? Its state's memory is freed then. */
static bool
has_ended(uint32_t tid)
{

	return syscall(SYS_tgkill, inject.pid, tid, 0) != 0 && errno == ESRCH;
}

/* Looks once, the last time at ${last}; returns when. */
static uint64_t
look(uint64_t last, uint64_t every)
{
	struct record_SEEN r = { .tid = atomic_load(&seen.tid) };
	uint64_t begin = inject_now();
	uint32_t tid = r.tid;

	if (tid != 0 && has_ended(tid))
		atomic_compare_exchange_strong(&seen.tid, &tid, 0);
	if (tid == 0 || tid != atomic_load(&seen.tid) || emit_pressed() ||
	    !python_peek(atomic_load(&seen.thread), &seen.peek))
		return last;
	r.site = site_of();
	r.time_ns = begin;
	/* A clock that was set back gives no time. */
	r.period_ns = begin > last ? begin - last : 0;
	if (r.period_ns > PERIODS * every)
		r.period_ns = PERIODS * every;
	/* The last record may have been sent meanwhile. */
	if (inject_active())
		EMIT(SEEN, &r);
	return begin;
}

static void *
look_on(void *cookie)
{
	uint64_t last = inject_now(), every = EVERY_NS, looks = 0;
	/* Not by inject_now(): a clock that is set ahead by a year would end the looks. */
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	for (; inject_active(); looks++) {
		wait_for(every, looks);
		if (!inject_active())
			break;
		last = look(last, every);
		every = max(EVERY_NS, (clock_ns(CLOCK_MONOTONIC) - begin) / LOOKS);
		every = max(every, clock_ns(CLOCK_THREAD_CPUTIME_ID) / (looks + 1) *
		    (looks < FIRST_LOOKS ? FIRST_SHARE : LOOK_SHARE));
	}
	return cookie;
}

void
seen_start(seen_site_fn *site)
{
	int wanted = WANTED;

	/* The dynamic linker, which is asked here, must not be asked in a callback: its
	 * lock may be held by a thread that waits for this one. */
	if (atomic_load_explicit(&seen.checked, memory_order_relaxed) == WANTED)
		atomic_compare_exchange_strong(&seen.checked, &wanted,
		    python_peek_find() ? UNKNOWN : WRONG);
	if (seen.site != NULL || atomic_load_explicit(&seen.tid, memory_order_acquire) == 0)
		return;
	seen.site = site;
	(void)thread_start("cudadvise-seen", look_on);
}
