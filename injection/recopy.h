/*
 * recopy.h: whether copies to the device that are made again carry the bytes that they
 * carried before. Of a copy with the source, destination and size of an earlier one, a
 * hash of each page, or of evenly spread pages, is kept and compared when it is made
 * again; each comparison is sent as a COMPARED record.
 *
 * The same content may come again from other addresses: staged through another buffer of a
 * pool, or in memory that was allocated and filled anew. Of copies of one size that keep
 * changing their addresses, a few lines are looked at, and pages are compared once several
 * were alike there. Pieces of one array, side by side, are not: they stand for its data.
 *
 * The time that it takes is charged to the budget and counted as a hold. If another
 * thread writes to the range meanwhile, its pages count as changed or not, which does no
 * harm. Called in API-enter callbacks, in any thread; calls neither the driver nor
 * malloc.
 */
#ifndef CADV_RECOPY_H
#define CADV_RECOPY_H

#include <stdint.h>

#define RECOPY_LEAST (64u << 10)	/* bytes of the copies that are compared */
#define RECOPY_RANGES 8			/* a process */
#define RECOPY_PAGES 4096		/* of a range, at most */
#define RECOPY_COMPARED 4		/* comparisons of a range, or size, at most */
#define RECOPY_SIZES 8			/* followed at once */

struct recopy {
	uint64_t src, dst, bytes;	/* as the call has them */
};

/* recopy_enter(correlation, call, c): a copy is about to be made, by ${call} (enum
 * wire_call), whose source may be host memory. Does nothing at level trace. */
void recopy_enter(uint32_t correlation, uint16_t call, const struct recopy *c);

/* recopy_spent(): the time, in ns, that recopy_enter has taken of this thread for
 * reading and comparing. */
uint64_t recopy_spent(void);

#endif
