/*
 * memory.h: MEMORY records of the program's own allocations and releases, from
 * its calls of the driver; CUPTI's records of them are not asked for: with
 * these on (CUPTI 13.0), a process that frees a pointer which it imported from
 * another one's pool dies inside CUPTI.
 *
 * A release says no size: the live allocations are in a table. Memory of other
 * processes (an imported pool, an IPC handle) is never in it, and its release
 * makes no record. What the table has no room for is counted as lost.
 *
 * Callbacks of any thread. Nothing here calls the driver.
 */
#ifndef CADV_MEMORY_H
#define CADV_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "wire/record.h"

#define MEMORY_LIVE (1u << 18)	/* allocations; as many as the daemon keeps */

/* memory_init(): map the table. Without it allocations are lost, and said. */
void memory_init(void);

/* memory_call(call): is it a call that the two below are for? */
static inline bool
memory_call(const struct call_row *call)
{

	return (call->call >= CALL_MALLOC &&
	    call->call <= CALL_MALLOC_MANAGED);
}

/* memory_enter(call, d, now_ns): before the call. A release is told here: once
 * the driver has it, another thread may be given the same address. */
void memory_enter(const struct call_row *call, const CUpti_CallbackData *d,
    uint64_t now_ns);

/* memory_exit(call, d, device, now_ns): after it: an allocation that was made,
 * on ${device}; a release that failed is taken back. */
void memory_exit(const struct call_row *call, const CUpti_CallbackData *d,
    uint32_t device, uint64_t now_ns);

/* memory_module(d, device): the variables of a module that was loaded. True if
 * some of them are __managed__. */
bool memory_module(const CUpti_ModuleResourceData *d, uint32_t device);

#endif
