/*
 * call_site.h: where the program submits work: the host call stack at the first
 * launches of each signature, and at a sample of the copies, waits and allocations of
 * each kind; with Python frames if there is an interpreter.
 *
 * In a callback, this code allocates nothing, does not wait, and keeps its cost below a
 * share of the run. When the samples of a kind are taken, one load per call remains.
 * The sender thread sends the stacks, with the mappings and the names that the dynamic
 * linker knows; the daemon resolves the rest.
 *
 * CUDADVISE_SITES=0 turns it off.
 */
#ifndef CADV_CALL_SITE_H
#define CADV_CALL_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature.h"

#define CALL_SITE_FRAMES 64		/* frames of a stack, innermost first */
#define CALL_SITE_PYTHON 8192	/* bytes of Python frames */
#define CALL_SITE_NEVER UINT64_MAX

/* How often a kind of call was seen, and at which occurrence the next stack is
 * taken. */
struct call_site_kind {
	_Atomic uint64_t seen;
	_Atomic uint64_t next;	/* CALL_SITE_NEVER: no further stacks */
};
extern struct call_site_kind call_site_kind[CALL_COUNT];

/* call_site_init(): load the unwinder, which must not happen in a callback. No stacks
 * are taken at level trace, with CUDADVISE_SITES=0, or without memory. */
void call_site_init(void);

/* When the host last made or ended a CUDA call, in any thread; up to CALL_SITE_BUSY_NS
 * too early, so that threads that launch at once do not fight for it. */
extern _Atomic uint64_t call_site_last_ns;
#define CALL_SITE_BUSY_NS 50000u
/* The host was away if it made no call for so long: launches are closer together, even
 * in an interpreter (0.1 ms in Numba). */
#define CALL_SITE_AWAY_NS 1000000u

/* The slow paths of the functions below. */
void call_site_look_launch(struct signature *s, uint64_t launch);
void call_site_look_other(uint16_t call);
void call_site_look_away(uint16_t call, const struct signature *s, uint64_t last,
    uint64_t now);

/* call_site_launch(s): in the API-enter callback of a launch, after the launch was
 * counted in s->launches. */
static inline void
call_site_launch(struct signature *s)
{
	uint64_t n = atomic_load_explicit(&s->launches, memory_order_relaxed);

	if (n > atomic_load_explicit(&s->site_next, memory_order_relaxed))
		call_site_look_launch(s, n);
}

/* call_site_other(call): in the API-enter callback of any other call. */
static inline void
call_site_other(uint16_t call)
{

	if (call < CALL_COUNT && atomic_load_explicit(&call_site_kind[call].next,
	    memory_order_relaxed) != CALL_SITE_NEVER)
		call_site_look_other(call);
}

/* call_site_mark(now): a call was made, or has ended, at ${now} (inject_now). */
static inline void
call_site_mark(uint64_t now)
{

	if (now - atomic_load_explicit(&call_site_last_ns, memory_order_relaxed) >=
	    CALL_SITE_BUSY_NS)
		atomic_store_explicit(&call_site_last_ns, now, memory_order_relaxed);
}

/* call_site_back(call, s, now): in the API-enter callback of any call at time ${now}; of
 * a launch with its signature (NULL: unknown). If the host had been away, an AWAY record
 * says for how long, and what it does now: true, it took time. Else it takes 4 ns
 * (tests/bench/bench_site.c). */
static inline bool
call_site_back(uint16_t call, const struct signature *s, uint64_t now)
{
	uint64_t last = atomic_load_explicit(&call_site_last_ns,
	    memory_order_relaxed);

	call_site_mark(now);
	if (last == 0 || now <= last || now - last < CALL_SITE_AWAY_NS)
		return false;
	call_site_look_away(call, s, last, now);
	return true;
}

/* call_site_here(call): in an API-enter callback: the number of the site at which the
 * program makes this call; 0: unknown, or it would cost too much. Not for every call. */
uint32_t call_site_here(uint16_t call);

/* call_site_seen(text, len, tid): the number of the site of thread ${tid}'s Python frames
 * ${text}, at which no call was made (CALL_NONE); 0: there is no room. */
uint32_t call_site_seen(const char *text, size_t len, uint32_t tid);

/* call_site_spent(), call_site_cost(): nanoseconds spent here so far, by this thread
 * and by all threads. */
uint64_t call_site_spent(void);
uint64_t call_site_cost(void);

/* call_site_send(final): send the new call sites, and with ${final} the last counts of
 * all. Sender thread only. */
void call_site_send(bool final);

#endif
