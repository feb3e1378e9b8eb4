/*
 * capture/symbol.h: symbolizes the host call stacks of a run that was just recorded on
 * this machine: function, file and line of each address, with inlined calls, read from
 * the files that the process had mapped. The result is added to the capture as FRAME
 * records. Never used for imported captures: their paths are untrusted.
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
#ifndef SYMBOL_NS			/* sanitizer builds need more */
#define SYMBOL_NS 3000000000ull		/* most time for all addresses */
#endif

/* The addresses and mappings of a run; NULL is an empty set. */
struct symbols;

/* symbols_note(y, stream, r): store what HELLO, MAPPING and SITE tell; other records
 * are ignored. What exceeds a limit is left out. 0; -1 without memory. */
int symbols_note(struct symbols **y, uint64_t stream, const struct record *r);

/*
 * symbols_add(y, m, w, x, e): look up the addresses and write the results, as a stream
 * of their own, into the capture, its index and the model; see capture/own_records.h.
 * Files are skipped that are gone, were replaced since (by build id, or without one by
 * modification time), are not ELF, or take too long.
 */
int symbols_add(struct symbols *y, struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e);

/* symbols_complete(path, e): the same for the capture ${path} as a whole, which a run
 * on this machine has just written and which no process has open. */
int symbols_complete(const char *path, struct error *e);

/* symbols_free(y): free the set; NULL is allowed. */
void symbols_free(struct symbols *y);

#endif
