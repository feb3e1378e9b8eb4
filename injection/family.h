/*
 * family.h: a function with all shapes that it is launched in. A signature (a
 * function and one shape) belongs to one family.
 */
#ifndef CADV_FAMILY_H
#define CADV_FAMILY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct family {
	uint64_t hash;
	char *name;			/* mangled, our copy */
	bool excluded;			/* --kernel has none of its names */
	_Atomic uint64_t launches;	/* counted for --launches only */
};

/* family_of(name): the one of that function, made where it is new. NULL without
 * memory or room. Under the lock of the signatures. */
struct family *family_of(const char *name);

#endif
