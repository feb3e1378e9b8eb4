/*
 * capture/symbol.h: symbolizes the host's call stacks of a run that was just
 * recorded on this machine: function, file and line of each address, with
 * inlined calls, from the files that were mapped. Added to the capture as FRAME
 * records. Never for imported captures: their paths are untrusted.
 */
#ifndef CADV_SYMBOL_H
#define CADV_SYMBOL_H

#include <stdint.h>

struct capture_index;
struct capture_writer;
struct error;
struct model;
struct own_records;
struct record;

#define SYMBOL_ADDRESSES 32768u		/* of all processes of a run */
#define SYMBOL_MAPPINGS 16384u
#ifndef SYMBOL_NS			/* builds with a sanitizer need more */
#define SYMBOL_NS 3000000000ull		/* time for all of it */
#endif

/* The addresses of a run; NULL is an empty set. */
struct symbols;

/* symbols_note(y, stream, r): store HELLO, MAPPING and SITE; other records are
 * ignored. What exceeds a limit is left out. -1 without memory. */
int symbols_note(struct symbols **y, uint64_t stream, const struct record *r);

/*
 * symbols_add(y, m, w, x, e): look the addresses up and write the results as a stream
 * of its own into the capture, its index and the model; see capture/own_records.h.
 * Skipped are files that are gone, were replaced since (by build id, or where there is
 * none by modification time), are not ELF, or take too long.
 */
int symbols_add(struct symbols *y, struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

/* symbols_complete(path, e): the same for the whole capture ${path} that a run
 * on this machine has just written and no process has open. */
int symbols_complete(const char *path, struct error *e);

void symbols_free(struct symbols *y);

#endif
