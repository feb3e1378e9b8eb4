/*
 * site_host.c: the parts of the library that injection/call_site.c needs. Both
 * are linked into a shared object, because site.c leaves the frames of its own
 * object out of the stacks.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call_site.h"
#include "emit.h"
#include "inject.h"
#include "nap.h"
#include "python.h"
#include "python_peek.h"
#include "seen.h"
#include "unit/site_host.h"

struct inject inject;
static _Atomic uint64_t ahead_ns;

uint64_t
inject_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec +
	    atomic_load(&ahead_ns);
}

/* Sets the clock ${ns} ahead of the real one; a negative number sets it back. */
void
host_clock(int64_t ns)
{

	atomic_store(&ahead_ns, (uint64_t)ns);
}

uint32_t
inject_tid(void)
{

	return (uint32_t)syscall(SYS_gettid);
}

static uint64_t
own_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

void
host_begin(int level)
{

	inject.level = (enum wire_level)level;
	/* An hour old, so that time does not end the taking of stacks. */
	inject.begin_ns = inject_now() - 3600ull * 1000000000;
	inject.pid = getpid();
	atomic_store(&inject.state, INJECT_ON);
	emit_init(1);
	call_site_init();
}

struct signature *
host_signature(uint32_t id)
{
	struct signature *s = calloc(1, sizeof(*s));

	if (s == NULL)
		abort();
	s->id = id;
	return s;
}

void
host_announce(struct signature *s)
{

	atomic_store(&s->announced, true);
}

/* The "program" calls both like the driver's API. */
void
host_launch(struct signature *s)
{

	atomic_fetch_add(&s->launches, 1);
	call_site_launch(s);
}

void
host_call(int call)
{

	call_site_other((uint16_t)call);
}

void
host_back(int call, struct signature *s, uint64_t at)
{

	call_site_back((uint16_t)call, s, at);
}

uint64_t
host_next(int call)
{

	return atomic_load(&call_site_kind[call].next);
}

uint64_t
host_cost(void)
{

	return call_site_cost();
}

size_t
host_parse(char *text, size_t len)
{

	return python_parse(text, len);
}

int
host_python(char *out, int size)
{

	python_find();
	return (int)python_frames(out, (size_t)size);
}

/* Has the calling thread looked at from now on, if it is its turn: the first call is seen,
 * the second checks the frames. Returns how many bytes its frames are. */
int
host_watch(void)
{
	static char text[CALL_SITE_PYTHON];
	size_t n;
	int i;

	if (inject.pid == 0)
		host_begin(LEVEL_AUTO);
	n = python_frames(text, sizeof(text));
	for (i = 0; i < 2 && n > 0; i++) {
		seen_watch(text, n);
		seen_start(call_site_seen);
	}
	return (int)n;
}

/* Writes, for each look since the last call, "@TID TIME PERIOD\n" and the frames that it
 * found. */
int
host_seen(char *out, int size)
{
	static char *python[4096];	/* of the sites, by number */
	size_t len, pos = 0;
	struct record r;
	uint8_t *p;
	int used = 0;

	call_site_send(true);
	p = host_take(&len);
	while (record_next(p, len, &pos, &r) > 0)
		if (r.type == RECORD_SITE && r.u.SITE.number < 4096 &&
		    python[r.u.SITE.number] == NULL)
			python[r.u.SITE.number] = strndup(r.u.SITE.python.p,
			    r.u.SITE.python.len);
	for (pos = 0; record_next(p, len, &pos, &r) > 0 && used < size;) {
		if (r.type != RECORD_SEEN)
			continue;
		used += snprintf(out + used, (size_t)(size - used), "@%u %llu %llu\n%s",
		    r.u.SEEN.tid, (unsigned long long)r.u.SEEN.time_ns,
		    (unsigned long long)r.u.SEEN.period_ns,
		    r.u.SEEN.site < 4096 && python[r.u.SEEN.site] != NULL ?
		    python[r.u.SEEN.site] : "");
	}
	free(p);
	return used < size ? used : size;
}

/* The calling thread's PyThreadState; NULL if its frames cannot be looked at. */
void *
host_thread(void)
{

	python_find();
	return python_peek_find() ? python_thread() : NULL;
}

/* Looks at ${thread} so often, with the frames' text if ${texts}, with a pause behind each.
 * Returns the processor's time that a look took, in nanoseconds; 0 if one found nothing. */
uint64_t
host_look(const void *thread, int looks, int texts, int pause_us)
{
	static struct peek peek;
	static char text[PEEK_LINE];
	uint64_t begin = own_ns();
	int i;

	for (i = 0; i < looks; i++) {
		if (thread != NULL && !python_peek(thread, &peek))
			return 0;
		for (size_t j = 0; texts != 0 && j < peek.frames; j++)
			python_peek_text(&peek.frame[j], NULL, text);
		nap((uint32_t)pause_us * 1000);
	}
	return (own_ns() - begin) / (uint64_t)looks;
}

void
host_send(int final)
{

	call_site_send(final != 0);
}

/* The records so far, concatenated; the caller frees them. */
uint8_t *
host_take(size_t *len)
{
	struct emit_frame *f = emit_take(1), *next;
	uint8_t *out = NULL;
	const size_t header = 48;

	for (*len = 0; f != NULL; f = next) {
		next = f->next;
		if ((out = realloc(out, *len + f->size)) == NULL)
			abort();
		memcpy(out + *len, f->data + header, f->size - header);
		*len += f->size - header;
		emit_release(f);
	}
	return out;
}
