/* report/compare_kernels.h: the kernels of two runs, matched. For compare*.c. */
#ifndef CADV_COMPARE_KERNELS_H
#define CADV_COMPARE_KERNELS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { BASE, TARGET, SIDES };

enum kin_match { MATCH_NONE, MATCH_SHAPE, MATCH_NAME, MATCH_REST };

/* What kernels that belong together took in one run. */
struct kin_side {
	json_t *ids;			/* the first of them; NULL: none */
	double launches;
	double total_s;
	double busy_s;			/* of it, with what ran at the same time
					 * counted once */
	double sum, squares;		/* s, s²: over launches */
	bool measured;			/* some of its counters are there */
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

/* kinship_make(k, kernels, busy_s, one_program): match the two arrays of kernels, which must
 * outlive ${k}; ${busy_s} is how long any kernel ran on each side, NaN unknown. Of
 * several programs without a kernel in common none is matched.
 * -1 without memory; kinship_release either way. */
int kinship_make(struct kinship *k, const json_t *const kernels[SIDES],
    const double busy_s[SIDES], bool one_program);
void kinship_release(struct kinship *k);

/* kinship_find(k, side, id): of kernel ${id} of that side, or NULL. */
const struct kin *kinship_find(const struct kinship *k, int side,
    json_int_t id);

/* kin_speedup(k): > 1 is faster; NaN. */
double kin_speedup(const struct kin *k);
/* kin_saved(k): seconds of the base run that it no longer takes; negative: it
 * takes longer; NaN without a match. */
double kin_saved(const struct kin *k);

/* kinship_any(k): has any kernel a counterpart? */
bool kinship_any(const struct kinship *k);

/* New reference. */
json_t *kin_json(const struct kin *k);

#endif
