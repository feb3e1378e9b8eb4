/*
 * rules/evidence/access.h: how each instruction that touches global memory uses the
 * sectors it moves. One judgement for all rules about access patterns, so that
 * no access is held against a kernel twice. Pure.
 */
#ifndef CADV_ACCESS_H
#define CADV_ACCESS_H

#include "rules/evidence/inst.h"

enum access_pattern {
	PATTERN_NONE,		/* no global access, or none executed */
	PATTERN_GOOD,		/* its sectors are what its bytes fill */
	PATTERN_UNIFORM,	/* one address for all lanes */
	PATTERN_FIELDS,		/* a field of an object: neighbours are the
				 * next fields, the next lane is an object on */
	PATTERN_MISALIGNED,	/* contiguous, from the middle of a sector on */
	PATTERN_SLIDING,	/* misaligned as it has to be: a window */
	PATTERN_SCATTERED,	/* anything else that needs too many */
	PATTERN_SHAPE,		/* rows, cut up by a block that is < 32 wide */
	PATTERN_GATHERED,	/* scattered, as the indices are that each lane
				 * loaded before: no other thread's elements are
				 * its neighbours */
	PATTERNS
};

struct access {
	uint8_t pattern;	/* enum access_pattern */
	uint8_t kind;		/* enum inst_access */
	uint16_t element;	/* FIELDS: bytes from lane to lane; 0 unknown */
	bool walks;		/* GATHERED: on from a place that was loaded, to
				 * neighbours of it: a row for each lane */
	uint32_t group;		/* FIELDS: the same for fields of one object */
	double requests, sectors, ideal;
};

struct access_sum {
	double requests, sectors, ideal;
};

struct affine;
struct slices;

struct accesses {
	struct access *of;	/* [code->instructions] */
	struct access_sum sum[PATTERNS][INST_ATOMIC + 1];
	struct access_sum all[INST_ATOMIC + 1];
	struct slices *slices;	/* NULL without disassembly */
	struct affine *address;	/* of each sass instruction; likewise */
};

/* accesses_of(a, x): judge the view's kernel, whose instructions are counted.
 * -1 without memory. Release with accesses_free. */
int accesses_of(struct accesses *a, const struct rule_view *x);
void accesses_free(struct accesses *a);

/* accesses_ask(x, find): judge, and ask ${find} about it: a whole rule. */
enum rule_state accesses_ask(struct rule_view *x,
    enum rule_state (*find)(struct rule_view *x, const struct accesses *a));

/* accesses_lines(x, d, a, pattern): those lines, by excess sectors. */
void accesses_lines(const struct rule_view *x, struct draft *d,
    const struct accesses *a, enum access_pattern p);

/*
 * Where instructions were not counted, what a mean request of ${sectors} tells, of
 * each of which ${used} bytes are used (of 32).
 *
 * access_ideal: the sectors that it needs. An address that all lanes share needs
 * a whole one for its few bytes: of accesses of 4 bytes as many are taken to be
 * of that kind as the bytes leave room for.
 * access_is_shifted: every request takes one sector more than its bytes fill, as
 * rows do that begin in the middle of one. Of the positions of a window that
 * slides over the data some are aligned: of elements of 4 bytes one in 8, of 2
 * one in 16.
 */
double access_ideal(const struct rule_view *x, double sectors, double used);
bool access_is_shifted(const struct rule_view *x, double sectors, double used);

/*
 * access_is_scattered(x): by the counters of the whole kernel, are the sectors of a
 * load in lines of their own? Neighbours fill their lines, of which one takes a
 * wavefront: 16 sectors of wide accesses are 4 (measured on an H200: 4.6 with 16
 * bytes a lane), of scattered ones up to 16 (11 to 16.5 in four programs): twice the
 * least is between the two. Only of kernels in which nothing else goes that way, and
 * with as many wavefronts as stores can take.
 */
bool access_is_scattered(const struct rule_view *x);

/* accesses_excess(a, pattern, kind): sectors beyond the ideal of them. */
double accesses_excess(const struct accesses *a, enum access_pattern p,
    enum inst_access kind);

/* accesses_keep(a, pattern, kind): sectors of all accesses of ${kind} if those
 * of ${pattern} were ideal, over those now: what struct fix wants. */
double accesses_keep(const struct accesses *a, enum access_pattern p,
    enum inst_access kind);

#endif
