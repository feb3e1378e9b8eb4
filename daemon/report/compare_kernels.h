/* report/compare_kernels.h: the kernels of two runs, matched. For compare*.c. */
#ifndef CADV_COMPARE_KERNELS_H
#define CADV_COMPARE_KERNELS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { BASE, TARGET, SIDES };

enum kin_match { MATCH_NONE, MATCH_SHAPE, MATCH_NAME, MATCH_REST };

/* The times of matched kernels in one run. */
struct kin_side {
	json_t *ids;			/* the first of their ids; NULL: none */
	double launches;
	double total_s;
	double busy_s;			/* of it, with concurrent time counted once */
	double sum, squares;		/* s, s²: over launches */
	bool measured;			/* has some of its counters */
};

/* A kernel, or all shapes of one, in both runs. */
struct kin {
	const char *name;		/* the documents' */
	enum kin_match match;
	struct kin_side side[SIDES];
};

struct kinship {
	struct kin *kin;
	size_t kins;
	json_t *of[SIDES];		/* kernel id → index into kin */
};

/* kinship_make(k, kernels, busy_s, one_program): match the two arrays of
 * kernels, which must outlive ${k}; ${busy_s}: the time with a kernel running
 * on each side, NaN unknown. Without ${one_program} and without a common kernel
 * none is matched. 0; -1 without memory; kinship_release in either case. */
int kinship_make(struct kinship *k, const json_t *const kernels[SIDES],
    const double busy_s[SIDES], bool one_program);
void kinship_release(struct kinship *k);

/* kinship_find(k, side, id): the match of kernel ${id} of that side, or NULL. */
const struct kin *kinship_find(const struct kinship *k, int side,
    json_int_t id);

/* kin_speedup(k): > 1 is faster; NaN. */
double kin_speedup(const struct kin *k);
/* kin_saved(k): seconds of the base run that are saved; negative: it takes
 * longer; NaN without a match. */
double kin_saved(const struct kin *k);

/* kinship_any(k): does any kernel have a counterpart? */
bool kinship_any(const struct kinship *k);

/* kin_json(k): new reference, or NULL without memory. */
json_t *kin_json(const struct kin *k);

#endif
