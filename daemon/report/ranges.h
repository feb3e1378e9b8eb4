/*
 * report/ranges.h: the time of kernels by the NVTX ranges that they were launched in,
 * and the longest ranges for a timeline. Read from the capture in two passes, once a
 * run has ended: a range is recorded when it is over, after what ran in it. Bounded
 * memory; names are any bytes.
 */
#ifndef CADV_RANGES_H
#define CADV_RANGES_H

#include <jansson.h>

struct reader;
struct run;

#define RANGES_MOST ((1u << 20) + (1u << 15))	/* kept: more than one process
				 * sends. Beyond, the longer half is kept, and of the
				 * others their number and time */
#define RANGES_NAMES 16384u	/* different names */
#define RANGES_ALIKE 16u	/* more names that differ in their numbers only are one:
				 * "step #" */
#define RANGES_ITEMS 200u	/* rows of the document */
#define RANGES_DRAWN 4096u	/* single ranges of the document: the longest */

/* ranges_read(r): the document; NULL without memory, or if the capture cannot be
 * read. Only the operations of ${r} and its origin are used. */
json_t *ranges_read(const struct reader *r);

/* ranges_none(reason): the document of a run that has none, or, with ${reason}, of
 * which they are not known. */
json_t *ranges_none(const char *reason);

#endif
