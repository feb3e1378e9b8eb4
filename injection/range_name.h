/*
 * range_name.h: the names of NVTX ranges as strings on the wire. Their number is bounded, and
 * no kind of range can use up the names of the others: XLA names each pass of its compiler
 * with the program's number, 95 passes for each of thousands of programs. A kind is what
 * stands in front of a name's first digit, ':', '=', '(', '[', '{', '#' or ','. Beyond its
 * names numbers become "#", beyond these only the kind is left. Sender thread only.
 */
#ifndef CADV_RANGE_NAME_H
#define CADV_RANGE_NAME_H

#include <stdint.h>

#define RANGE_NAME 512		/* bytes of a name */
#define RANGE_NAMES (1u << 14)	/* different names of all kinds, */
#define RANGE_FOLDED (1u << 12)	/* names with "#" besides, */
#define RANGE_KINDS (1u << 10)	/* kinds besides; of more, ranges have no name */
#define RANGE_OF_KIND 4		/* a kind may have that part of the first two */

/* range_name(name): the string of a range's name, or a domain's; 0: it has none, or there are
 * too many, which is counted as lost. */
uint32_t range_name(const char *name);

#endif
