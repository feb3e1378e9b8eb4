/*
 * memory.h: MEMORY records of the program's allocations and releases, from its driver
 * API calls. CUPTI's own records of these are not enabled: with them (CUPTI 13.0), a
 * process that frees a pointer imported from another process's pool crashes inside
 * CUPTI.
 *
 * A release does not tell its size, so live allocations are kept in a table. Memory of
 * other processes (an imported pool, an IPC handle) is never in the table, and its
 * release makes no record. Allocations that do not fit into the table are counted as
 * lost.
 *
 * An array is identified by its handle, and has the size of its elements, without what
 * the driver adds to it; 0 if that is not known.
 *
 * Called in callbacks, in any thread. Nothing here calls the driver.
 */
#ifndef CADV_MEMORY_H
#define CADV_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "wire/record.h"

#define MEMORY_LIVE (1u << 18)	/* live allocations; the daemon keeps as many */

/* memory_init(): map the table. If that fails, allocations are counted as lost. */
void memory_init(void);

/* memory_call(call): whether ${call} allocates or releases memory. */
static inline bool
memory_call(const struct call_row *call)
{

	return (call->call >= CALL_MALLOC &&
	    call->call <= CALL_MALLOC_MANAGED) ||
	    call->call == CALL_MALLOC_ARRAY || call->call == CALL_FREE_ARRAY;
}

/* memory_enter(call, d, now_ns): before the call. Records a release: after the driver
 * has executed it, another thread may get the same address. */
void memory_enter(const struct call_row *call, const CUpti_CallbackData *d,
    uint64_t now_ns);

/* memory_exit(call, d, device, now_ns): after the call. Records an allocation on
 * ${device}; a release that failed is recorded as an allocation again. */
void memory_exit(const struct call_row *call, const CUpti_CallbackData *d,
    uint32_t device, uint64_t now_ns);

/* memory_context_gone(context): forget what was allocated in a context that is being
 * destroyed: no call releases it any more. No record is made, so that it stays a leak.
 * Memory of a device's pool (cuMemAllocAsync) outlives the context and is kept. */
void memory_context_gone(uint32_t context);

/* memory_module(d, device): record the variables of a loaded module. True if some of
 * them are __managed__. */
bool memory_module(const CUpti_ModuleResourceData *d, uint32_t device);

#endif
