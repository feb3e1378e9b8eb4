/*
 * report/ranges.h: the time of kernels by the NVTX ranges that they were
 * launched in, and the longest ranges for a timeline. Read from the capture in
 * two passes after the run has ended: a range is recorded at its end, after the
 * work inside it. Bounded memory; names may consist of any bytes.
 */
#ifndef CADV_RANGES_H
#define CADV_RANGES_H

#include <jansson.h>

struct reader;
struct run;

#define RANGES_MOST ((1u << 20) + (1u << 15))	/* ranges kept: more than one
						 * process sends. Of more, the
						 * longer half is kept, of the
						 * others only their number and time */
#define RANGES_NAMES 16384u	/* different names */
#define RANGES_ALIKE 16u	/* if more names differ only in numbers they
				 * become one: "step #" */
#define RANGES_ITEMS 200u	/* rows of the document */
#define RANGES_DRAWN 4096u	/* single ranges in the document: the longest */

/* ranges_read(r): the document; NULL without memory, or if the capture cannot
 * be read. Only the operations and the origin of ${r} are used. */
json_t *ranges_read(const struct reader *r);

/* ranges_none(reason): the document of a run without ranges or, with ${reason},
 * of one whose ranges are not known. */
json_t *ranges_none(const char *reason);

#endif
