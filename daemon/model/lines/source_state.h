/*
 * model/lines/source_state.h: the state of the source tier, from which a final settle
 * makes struct code and struct site. For the files of this folder.
 *
 * As records arrive, source_bytes.c assembles cubins, source files and disassemblies
 * from their pieces, source_feed.c keeps counts and samples as cells, and site.c keeps
 * call stacks. At the settle code.c joins these by kernel, source_lines.c by line, and
 * source_site.c by call site.
 */
#ifndef CADV_MODEL_SOURCE_STATE_H
#define CADV_MODEL_SOURCE_STATE_H

#include "model/internal.h"
#include "source/cubin.h"

/* Bounds of a run. */
#define MAX_CUBINS 4096u
#define MAX_CUBIN_TOTAL (128u << 20)	/* bytes of all */
#define MAX_SOURCES 4096u
#define MAX_SOURCE_BYTES (1u << 20)	/* one file */
#define MAX_SOURCE_TOTAL (32u << 20)
#define MAX_PIECES 1024u		/* fragments of a content at once */
#define MAX_TEXT_TOTAL (64u << 20)	/* of disassemblies */
#define MAX_PARTS 1024u			/* of a disassembly or measurement */
#define MAX_FUNCTIONS 16384u
#define MAX_PENDING 256u		/* measurements that are not complete */
#define MAX_CELLS (1u << 23)		/* 128 MiB */
#define MAX_CODES 1024u			/* functions processed at a settle */
#define MAX_INSTRUCTIONS (1u << 20)	/* of all codes */
#define MAX_LINES (1u << 19)		/* of all codes */
#define MAX_FILES 65536u		/* source files with lines */
#define MAX_SITES 8192u
#define MAX_FRAMES (1u << 17)
#define MAX_MAPPINGS 4096u

/* Part of a content that arrives in pieces: [start, end). */
struct piece {
	uint64_t start, end;
};

struct bulk {
	uint64_t id, size;
	uint32_t flags;
	uint8_t *bytes;		/* ${size} and a 0; NULL until the first piece */
	struct piece *piece;	/* that have arrived: ascending, disjoint */
	uint32_t pieces, pieces_cap;
	bool complete, damaged;
};

struct cubin_state {
	struct bulk bulk;
	struct cubin cubin;	/* if opened */
	bool tried, opened;
	const struct reason *why;	/* if tried and not opened */
};

struct source_text {
	struct bulk bulk;
	const char *path;	/* interned */
	bool checked;		/* complete, and its hash is the id */
};

/* A number at an instruction. ${what}: the metric; for samples 2 × stall reason, plus 1
 * in CUPTI's count over all samples (its other count: "not issued", stall_find). */
struct cell {
	uint32_t pc, what;
	uint64_t n;
};

struct cells {
	struct cell *cell;
	uint32_t count, cap;
	bool full;		/* compacting freed little, and there will be no
				 * more room: it is not sorted again */
};

struct cubin_part {
	uint8_t *p;
	uint32_t len;
	bool there;
};

struct function_key {
	uint64_t cubin;
	const char *name;	/* interned */
};

/* A function of a cubin. */
struct function_state {
	struct function_key key;
	uint32_t symbol;	/* 0 unknown */
	struct cells samples;
	struct cubin_part *part;	/* of its disassembly, while incomplete */
	uint32_t parts, parts_there;
	char *text;		/* its disassembly, once complete */
	size_t text_len;
	/* Set at a settle: */
	struct sass sass;
	bool parsed;		/* sass is filled */
	uint32_t kernels;	/* launch shapes of this function */
	uint32_t first;		/* the longest of them, index + 1; 0 none */
};

/* One measurement of a kernel, instruction by instruction. */
struct counted {
	struct counted *next;
	uint32_t function;
	uint32_t mask;		/* 1 << enum source_metric: what was measured */
	uint64_t serial;	/* ascending in order of completion */
	uint64_t inst;		/* sum of SOURCE_INST over the instructions */
	struct cells cells;
};

/* A measurement of which parts are missing. */
struct pending {
	struct pending *next;
	uint32_t stream, kernel, parts, there;
	uint64_t missing;	/* process.missing when the first part arrived */
	uint8_t seen[MAX_PARTS / 8];
	struct counted *counted;
};

struct kernel_source {
	uint32_t function;	/* index + 1, from FUNCTION; 0 unknown */
	struct counted *counted;	/* complete ones; one per function */
	/* Set at a settle: */
	uint32_t chosen;	/* function + 1 */
	uint32_t next;		/* kernel of the same function, index + 1 */
	const struct counted *best;
};

struct mapping {
	uint32_t stream;
	uint64_t start, end, offset;
	const char *module;	/* file name without directories */
};

struct frame_entry {
	uint64_t address;
	uint32_t stream, depth, line, flags;
	uint32_t order;		/* of arrival */
	bool daemon;		/* from the daemon, which can read the files */
	const char *function, *file;
};

struct site_state {
	uint32_t stream, tid, kernel;
	uint32_t number;	/* in its process, for AWAY; 0: none */
	uint16_t call;
	uint64_t count;
	uint64_t *address;
	uint32_t addresses;
	struct site_frame *python;
	uint32_t pythons;
};

struct function_entry;

struct source_state {
	struct cubin_state *cubin;
	uint32_t cubins, cubins_cap;
	struct idmap cubin_map;
	uint64_t cubin_bytes;
	struct source_text *text;
	uint32_t texts, texts_cap;
	struct idmap text_map;
	uint64_t text_bytes;
	struct function_state *function;
	uint32_t functions, functions_cap;
	struct function_entry *function_table;
	uint64_t disassembly_bytes;
	struct kernel_source *kernel;
	uint32_t kernels;	/* room */
	struct pending *pending;
	uint32_t pendings;
	uint64_t cells;		/* room of all */
	uint64_t serial;
	uint64_t samples, dropped, launches, period;
	bool no_disassembler;
	struct mapping *mapping;
	uint32_t mappings, mappings_cap;
	struct frame_entry *frame;
	uint32_t frames, frames_cap;
	bool frames_sorted;
	struct site_state *site;
	uint32_t sites, sites_cap;
	struct idmap site_map;	/* by site_hash */
	/* Handed out by a settle: */
	struct code *code;
	uint32_t codes;
	struct source_file *out_file;
	uint32_t out_files, out_files_cap;
	struct idmap file_map;	/* by the path's address */
	uint32_t out_lines;
	uint32_t out_instructions;
	struct site *out_site;
	uint32_t out_sites;
	struct site_frame *out_frame;
};

/* source_state.c
 * source_kernel(m, kernel): the state of kernel index ${kernel}; NULL without memory.
 * source_function(m, cubin, name): the index of a function, made if new; IDMAP_NONE
 * without memory or if there are too many. */
struct kernel_source *source_kernel(struct model *m, uint32_t kernel);
uint32_t source_function(struct model *m, uint64_t cubin, const char *name);
void source_functions_free(struct source_state *x);
/* source_stream(m, s): its index in model->stream. */
uint32_t source_stream(const struct model *m, const struct stream *s);

/* source_cells.c
 * cells_add: append a number; 1 if the run has no room left, -1 without memory.
 * cells_compact: sort by pc and ${what}, and add up equal ones. cells_fit: free the
 * room behind the last one. */
int cells_add(struct source_state *x, struct cells *c, uint32_t pc,
    uint32_t what, uint64_t n);
void cells_compact(struct cells *c);
void cells_fit(struct source_state *x, struct cells *c);
void cells_clear(struct source_state *x, struct cells *c);

/* source_bytes.c */
int source_cubin(struct model *m, struct stream *s,
    const struct record_CUBIN *r);
int source_text(struct model *m, struct stream *s,
    const struct record_SOURCE *r);
int source_bytes(struct model *m, struct stream *s,
    const struct record_BYTES *r);
int source_disassembly(struct model *m, struct stream *s,
    const struct record_DISASSEMBLY *r);
void source_bytes_free(struct source_state *x);
struct cubin_state *source_cubin_of(const struct source_state *x, uint64_t id);
/* source_cubin_open(m, c): the cubin's tables, read once; NULL and c->why set. */
const struct cubin *source_cubin_open(struct model *m, struct cubin_state *c);

/* site.c, source_site.c */
int site_mapping(struct model *m, struct stream *s,
    const struct record_MAPPING *r);
int site_feed(struct model *m, struct stream *s, const struct record_SITE *r);
int site_frame(struct model *m, struct stream *s,
    const struct record_FRAME *r);
int site_settle(struct model *m);
void site_free(struct source_state *x);

/* source_first.c: the index of the frame to show, of a site that launches ${k} (NULL:
 * another call). */
size_t site_first(const struct site *s, const struct kernel *k);

/* source_choose.c
 * code_rank: all kernels by time, the longest first, so that limits leave out those
 * that matter least; malloced, NULL without memory. code_choose: find the function of
 * each; returns how many have one, -1 without memory. */
struct kernel_rank {
	uint64_t ns;
	uint32_t kernel;
};
struct kernel_rank *code_rank(const struct model *m);
int code_choose(struct model *m, const struct kernel_rank *rank);

/* source_fold.c: the cells of a function together with those of the subroutines of
 * ${kernel} (NULL: its place in the cubin is not known), in ${out}->cell, malloced; -1
 * without memory. */
int fold_counts(const struct source_state *x, const struct cubin *c,
    const struct cubin_function *kernel, const struct kernel_source *k,
    struct cells *out);
int fold_samples(const struct source_state *x, const struct cubin *c,
    const struct cubin_function *kernel, const struct function_state *f,
    struct cells *out);

/* code.c, source_lines.c: at a final settle, after the kernels.
 * code_file: the index of a source file by its interned path, made if new; IDMAP_NONE.
 * code_files: add the files whose text is known. */
void code_free(struct source_state *x);
uint32_t code_file(struct model *m, const char *path);
int code_files(struct model *m);
/* code_lines(m, c, l): set the lines of ${c} and of its instructions from the line
 * table ${l}; -1 without memory. */
int code_lines(struct model *m, struct code *c, const struct lines *l);
void samples_add(struct samples *to, const struct samples *from);

#endif
