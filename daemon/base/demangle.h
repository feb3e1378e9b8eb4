/*
 * base/demangle.h: C++ names for people, in bounded time. No library bounds the
 * time of it: a name of 258 bytes, whose back references share what they stand
 * for, takes longer than the universe has. So each name has a share of processor
 * time, and all names of a run have one together.
 */
#ifndef CADV_DEMANGLE_H
#define CADV_DEMANGLE_H

#include <stdint.h>

/* What the names of one run have cost. All zeroes to begin with; one thread at
 * a time. */
struct demangling {
	uint64_t spent_ns;	/* of the thread's processor time */
	uint64_t bytes;		/* of mangled names */
	uint64_t raw;		/* names that were given up */
};

/* For one name; 1 kB of what compilers make takes 30 us. */
#define DEMANGLE_NAME_NS 20000000u
/* For all names of a run: this, and so much for each of their bytes (38,189
 * names of libLLVM take 27 ns a byte). A frame full of names stays below 1 s. */
#define DEMANGLE_RUN_NS 200000000u
#define DEMANGLE_BYTE_NS 100u

/*
 * demangle_name(d, mangled): the C++ name, without the namespace that nvcc makes for
 * what is static in a file; or a copy of ${mangled} if it is none,
 * or if it would take more time than it or the run has (d->raw counts these).
 * Malloced; NULL without memory. Any thread; the timer that ends it is the
 * thread's own and comes as SIGVTALRM, which is this module's in the process.
 */
char *demangle_name(struct demangling *d, const char *mangled);

#endif
