/*
 * model/host.h: what the host did: synchronisations and recorded API calls.
 *
 * A call is *hot* when it starts after its process's 10th launch and ends
 * before its last one, so that set-up and tear-down do not count. A process with
 * fewer than 20 launches has no warm-up worth the name: there a call is hot from the
 * first launch on. In a process that launches nothing, calls that allocate or
 * release are hot after the 10th of them. Calls that only enqueue work (launches,
 * asynchronous copies and memsets) are counted but never hot.
 */
#ifndef CADV_MODEL_HOST_H
#define CADV_MODEL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

struct model;
struct stream;
struct thread;
struct call_class;

#define HOT_AFTER 10u		/* launches; without any, allocations */
#define HOT_MIN 20u		/* launches of a process with a warm-up */

/* host_thread(m, s, tid): index in m->thread, made if it is new; IDMAP_NONE if there
 * are too many or no memory. */
uint32_t host_thread(struct model *m, struct stream *s, uint32_t tid);

/* host_blocked(m, thread, start, end): a copy's call blocked its thread; -1 without
 * memory. */
int host_blocked(struct model *m, uint32_t thread, uint64_t start,
    uint64_t end);

/* host_launched(s, at): the sweep saw a launch of the process, called at ${at}. */
void host_launched(struct stream *s, uint64_t at);

/* host_middle(s): the time at which the process had made about half of its launches;
 * UINT64_MAX if it made none. */
uint64_t host_middle(const struct stream *s);

/* host_sort(m): sort the intervals of all threads, before a sweep. */
void host_sort(struct model *m);

/* host_prune(m, before): count and forget the intervals that ended before ${before},
 * which no later gap can reach. With ${before} UINT64_MAX, all of them. */
void host_prune(struct model *m, uint64_t before);

/* host_evict(m): make room although later gaps may reach every interval that is kept:
 * the thread with the most intervals loses its older half. */
void host_evict(struct model *m);

/* host_first(t, at): the first interval of ${t} that may overlap ${at}. */
uint32_t host_first(const struct thread *t, uint64_t at);

/* host_wait(t, a, b): how long in [a, b) the thread was blocked for the GPU. */
uint64_t host_wait(const struct thread *t, uint64_t a, uint64_t b);

/* host_delayed(m): allocating_delayed of struct run. */
double host_delayed(const struct model *m);

/* host_hot(m, out): fill in the hot_ members of ${out} for ${out}->call. */
void host_hot(const struct model *m, struct call_class *out);

#endif
