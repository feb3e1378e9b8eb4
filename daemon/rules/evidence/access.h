/*
 * rules/evidence/access.h: how each instruction that accesses global memory
 * uses the sectors it moves. All rules about access patterns share this
 * judgement, so that no access counts for two of them. Pure.
 */
#ifndef CADV_ACCESS_H
#define CADV_ACCESS_H

#include "rules/evidence/inst.h"

enum access_pattern {
	PATTERN_NONE,		/* no global access, or none executed */
	PATTERN_GOOD,		/* its sectors are what its bytes fill */
	PATTERN_UNIFORM,	/* one address for all lanes */
	PATTERN_FIELDS,		/* a field of an object: consecutive fields are
				 * adjacent, the next lane reads the next object */
	PATTERN_MISALIGNED,	/* contiguous, starting within a sector */
	PATTERN_SLIDING,	/* misaligned inevitably: a sliding window */
	PATTERN_SCATTERED,	/* anything else that needs too many sectors */
	PATTERN_SHAPE,		/* rows, cut up by a block less than 32 wide */
	PATTERN_GATHERED,	/* scattered as the indices are that each lane
				 * loaded: its neighbours are not those of
				 * neighbouring threads */
	PATTERNS
};

struct judged_access {
	uint8_t pattern;	/* enum access_pattern */
	uint8_t kind;		/* enum inst_access */
	uint16_t element;	/* FIELDS: bytes from lane to lane; MISALIGNED: of a
				 * row, whose length is the cause unless it is whole
				 * sectors; 0 unknown */
	bool apart;		/* MISALIGNED: parts of a warp access a row each, which
				 * lie anywhere */
	bool walks;		/* GATHERED: each lane goes on from a loaded
				 * position to its neighbours: a row per lane */
	uint32_t group;		/* FIELDS: the same for fields of one object */
	double requests, sectors, ideal;
};

struct access_sum {
	double requests, sectors, ideal;
};

struct affine;
struct slices;

struct accesses {
	struct judged_access *of;	/* [code->instructions] */
	struct access_sum sum[PATTERNS][INST_ATOMIC + 1];
	struct access_sum all[INST_ATOMIC + 1];
	struct slices *slices;	/* NULL without disassembly */
	struct affine *address;	/* of each sass instruction; NULL likewise */
};

/* accesses_of(a, x): judge the accesses of the view's kernel, whose instructions
 * must be counted. Returns 0; -1 without memory. Release with accesses_free. */
int accesses_of(struct accesses *a, const struct rule_view *x);
void accesses_free(struct accesses *a);

/* accesses_ask(x, find): a whole rule: accesses_of, then ${find}, whose state
 * it returns; not measured if sectors were not counted. */
enum rule_state accesses_ask(struct rule_view *x,
    enum rule_state (*find)(struct rule_view *x, const struct accesses *a));

/* accesses_lines(x, d, a, p): set the lines of ${d} to those of accesses with
 * pattern ${p}, by excess sectors. */
void accesses_lines(const struct rule_view *x, struct draft *d,
    const struct accesses *a, enum access_pattern p);

/*
 * Where instructions were not counted: what a mean request of ${sectors}
 * sectors tells, if ${used} of the 32 bytes of each are used.
 *
 * access_ideal: the sectors that it needs. An address shared by all lanes needs
 * a whole sector for its few bytes: accesses of 4 bytes are assumed, with as
 * many of them shared as the bytes leave room for.
 * access_is_shifted: does every request take one sector more than its bytes
 * fill, as rows do that begin within a sector? Of the positions of a window that
 * slides over the data some are aligned: of elements of 4 bytes one in 8, of 2
 * bytes one in 16.
 */
double access_ideal(const struct rule_view *x, double sectors, double used);
bool access_is_shifted(const struct rule_view *x, double sectors, double used);

/*
 * access_is_scattered(x): judged by the counters of the whole kernel, are a load's
 * sectors in separate lines? Neighbours fill their lines, each of which takes a
 * wavefront: 16 sectors of wide accesses take 4 (measured on an H200: 4.6 with 16
 * bytes per lane), of scattered ones up to 16 (11 to 16.5 in four programs): twice
 * the least lies between the two. Only for kernels in which nothing else uses that
 * path, and assuming as many wavefronts for stores as they can take.
 */
bool access_is_scattered(const struct rule_view *x);

/* accesses_excess(a, p, kind): sectors beyond the ideal of accesses with
 * pattern ${p}. */
double accesses_excess(const struct accesses *a, enum access_pattern p,
    enum inst_access kind);

/* accesses_keep(a, p, kind): sectors of all accesses of ${kind} if those of
 * pattern ${p} were ideal, over the present ones, as struct fix wants it. */
double accesses_keep(const struct accesses *a, enum access_pattern p,
    enum inst_access kind);

#endif
