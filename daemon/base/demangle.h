/*
 * base/demangle.h: readable C++ names, in bounded time. No demangling library bounds
 * its time: a name of 258 bytes whose back references are nested takes longer than the
 * age of the universe. So each name has a limit of processor time, and all names of a
 * run have one together.
 */
#ifndef CADV_DEMANGLE_H
#define CADV_DEMANGLE_H

#include <stdint.h>

/* What demangling the names of one run has cost. Initialise with zeroes; one thread at
 * a time. */
struct demangling {
	uint64_t spent_ns;	/* of the demangling thread's processor time */
	uint64_t bytes;		/* of mangled names */
	uint64_t raw;		/* names that were left mangled for lack of time */
};

/* Limit for one name; 1 kB of names that compilers make takes 30 us. */
#define DEMANGLE_NAME_NS 20000000u
/* Limit for all names of a run: DEMANGLE_RUN_NS, and DEMANGLE_BYTE_NS for each byte of
 * the names (38,189 names of libLLVM take 27 ns a byte). A frame full of names stays
 * below 1 s. */
#define DEMANGLE_RUN_NS 200000000u
#define DEMANGLE_BYTE_NS 100u

/*
 * demangle_name(d, mangled): the C++ name, without the namespace that nvcc makes for
 * functions that are static in a file. It is a copy of ${mangled} if ${mangled} is no
 * C++ name or longer than 16 kB, or if demangling would exceed 64 kB or the time of the
 * name or of the run (counted in d->raw). Malloced; NULL without memory. Any thread.
 * The time limit is a timer of the calling thread that raises SIGVTALRM; nothing else
 * in the process may use this signal.
 */
char *demangle_name(struct demangling *d, const char *mangled);

#endif
