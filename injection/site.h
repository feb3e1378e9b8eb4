/*
 * site.h: where in the program its work comes from: the host's call stack at
 * the first launches of each signature, and at a sample of the copies, waits
 * and allocations of each kind; Python frames where there is an interpreter.
 *
 * In a callback nothing is allocated, nothing waits, and what it costs stays
 * under a share of the run; once the samples of a kind are taken, all that is
 * left is one load. The sender thread sends what was found, with the mappings
 * and the names that the dynamic linker knows; the daemon finds the rest.
 *
 * CUDADVISE_SITES=0 turns it off.
 */
#ifndef CADV_SITE_H
#define CADV_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature.h"

#define SITE_FRAMES 64		/* of a stack, innermost first */
#define SITE_PYTHON 8192	/* bytes of Python frames */
#define SITE_NEVER UINT64_MAX

/* How often a kind of call was seen, and which of them is looked at next. */
struct site_kind {
	_Atomic uint64_t seen;
	_Atomic uint64_t next;	/* SITE_NEVER: no more */
};
extern struct site_kind site_kind[CALL_COUNT];

/* site_init(): load the unwinder, which must not happen in a callback. Without
 * it (trace level, turned off, no memory) nothing is collected. */
void site_init(void);

/* The slow halves of the two below. */
void site_look_launch(struct signature *s, uint64_t launch);
void site_look_call(uint16_t call);

/* site_launch(s): in the API-enter callback of a launch, after it was counted
 * in ${s}->launches. */
static inline void
site_launch(struct signature *s)
{
	uint64_t n = atomic_load_explicit(&s->launches, memory_order_relaxed);

	if (n > atomic_load_explicit(&s->site_next, memory_order_relaxed))
		site_look_launch(s, n);
}

/* site_call(call): in the API-enter callback of any other call. */
static inline void
site_call(uint16_t call)
{

	if (call < CALL_COUNT && atomic_load_explicit(&site_kind[call].next,
	    memory_order_relaxed) != SITE_NEVER)
		site_look_call(call);
}

/* site_spent(), site_cost(): ns spent here so far by this thread, by all. */
uint64_t site_spent(void);
uint64_t site_cost(void);

/* site_send(final): emit the sites that are new; with ${final} also how often
 * each was seen. Sender thread only. */
void site_send(bool final);

#endif
