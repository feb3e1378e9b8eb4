/*
 * source/print.h: listed instructions as lines of text (sass.h). Internal to
 * source/.
 */
#ifndef CADV_SOURCE_PRINT_H
#define CADV_SOURCE_PRINT_H

#include <stddef.h>
#include <stdint.h>

struct listed;

#define PRINT_BYTES (16u << 20)		/* of one function */

struct print {
	char *p;		/* malloced; the caller's */
	size_t len, cap;
};

/* A function's range of listed pcs. */
struct print_place {
	uint32_t base;		/* its first instruction */
	uint32_t begin, end;	/* range of branch targets */
};

/* print_line(t, in, at, name): append a line. ${name}, if not NULL, replaces
 * the branch's target. -1 without memory, or if the text gets too long. */
int print_line(struct print *t, const struct listed *in,
    const struct print_place *at, const char *name);

#endif
