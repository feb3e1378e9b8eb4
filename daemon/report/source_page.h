/*
 * report/source_page.h: a kernel's source document (report/json_source.h)
 * arranged for drawing: the cost of each line of each file, all its inline
 * contexts together, and the lines worth showing. Pure.
 */
#ifndef CADV_SOURCE_PAGE_H
#define CADV_SOURCE_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lines/source.h"

/* Counts and samples; NaN: not counted. */
struct heat {
	double samples;
	double inst;			/* warp instructions */
	double requests;		/* to global memory */
	double sectors, ideal;		/* of these requests */
	double waves, waves_ideal;	/* of shared memory */
	double local;			/* sectors of local memory */
	double divergent;		/* branches */
	double stall[STALL_COUNT];	/* samples by reason */
};

/* A line of a file. */
struct source_place {
	uint32_t file, line;		/* file: of the run's source files */
	struct heat heat;
	size_t inlined, inlineds;	/* its part of page->inlined */
	size_t insn, insns;		/* its part of page->order */
};

/* A function inlined into a place. */
struct inlined {
	size_t place;			/* the caller's */
	const char *function;		/* borrowed; NULL unknown */
	uint32_t file, line;		/* its first line that occurs there */
	double share;			/* with what is inlined into it */
};

struct source_insn {
	uint32_t pc;
	size_t place;			/* SIZE_MAX: no line */
	const char *text;		/* borrowed; NULL unknown */
	struct heat heat;
};

struct source_page {
	struct source_place *place;		/* by file and line */
	size_t places;
	struct inlined *inlined;	/* by place, most first */
	size_t inlineds;
	struct source_insn *insn;	/* by pc; if the document has them */
	size_t insns;
	size_t *order;			/* those with a line: by place and pc */
	struct heat total;
	bool sampled, counted;
};

/* page_make(p, source): 0; -1 without memory. ${source} must outlive ${p};
 * missing members are no error. Release with page_free. */
int page_make(struct source_page *p, const json_t *source);
void page_free(struct source_page *p);

/* page_share(p, h): the share of ${h} in the samples, or without samples in the
 * instructions; NaN if nothing was measured. */
double page_share(const struct source_page *p, const struct heat *h);

/* page_is_hot(p, h): is it worth showing: does it have a notable share of the
 * time, of excess sectors or wavefronts, of the divergence or of the spills? */
bool page_is_hot(const struct source_page *p, const struct heat *h);

/* page_stall(h): the stall reason with the most samples; STALL_COUNT: none. */
enum stall page_stall(const struct heat *h);

/* page_find(p, file, line): its place, or SIZE_MAX. */
size_t page_find(const struct source_page *p, uint32_t file, uint32_t line);

#endif
