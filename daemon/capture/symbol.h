/*
 * capture/symbol.h: the names behind the host's call stacks of a run that has
 * just been made on this machine: function, file and line of each address, with
 * the calls that were inlined there, from the files that were mapped. It goes
 * into the capture as FRAME records. Never for imported captures: the paths in
 * them are anybody's.
 */
#ifndef CADV_SYMBOL_H
#define CADV_SYMBOL_H

#include <stdint.h>

struct capture_index;
struct capture_writer;
struct error;
struct model;
struct notes;
struct record;

#define SYMBOL_ADDRESSES 32768u		/* of all processes of a run */
#define SYMBOL_MAPPINGS 16384u
#ifndef SYMBOL_NS			/* builds with a sanitizer need more */
#define SYMBOL_NS 3000000000ull		/* time for all of it */
#endif

/* What a run's records said about addresses; NULL is an empty one. */
struct symbols;

/* symbols_note(y, stream, r): take in HELLO, MAPPING and SITE; other records
 * are passed over. What is over a bound is left out. -1 without memory. */
int symbols_note(struct symbols **y, uint64_t stream, const struct record *r);

/*
 * symbols_write(y, n, e): look the addresses up and write what was found. A file
 * that is gone, was replaced since (its build id, or where it has none its time
 * of change, tells) or is no ELF file is passed over; so is what takes too long.
 * -1 with ${e} as NOTE says.
 */
int symbols_write(struct symbols *y, struct notes *n, struct error *e);

/* symbols_add(y, m, w, x, e): the same as a stream of its own in the capture,
 * its index and the model; see capture/notes.h. */
int symbols_add(struct symbols *y, struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

/* symbols_complete(path, e): the same for the whole capture ${path}, which a
 * run on this machine has just written and nobody has open. */
int symbols_complete(const char *path, struct error *e);

void symbols_free(struct symbols *y);

#endif
