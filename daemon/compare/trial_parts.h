/* compare/trial_parts.h: the state of a trial before its document is written. For
 * trial*.c. */
#ifndef CADV_TRIAL_PARTS_H
#define CADV_TRIAL_PARTS_H

#include <stdbool.h>

#include "compare/statistics.h"
#include "compare/trial_kernels.h"

/* A time that is compared between the sides. */
struct measure {
	double base_s, target_s;	/* mean per run */
	struct difference by;
	enum trial_verdict verdict;
};

struct judged {
	const struct trial_kernel *k;
	struct measure m;
	bool counts;			/* it is judged, and part of the verdict */
};

struct trial {
	const struct trial_set *set;
	const struct trial_ask *ask;
	struct trial_kernels kernels;
	struct judged *judged;
	double error;			/* of one interval */
	struct measure gpu, active;
	bool apart;			/* the runs are of several sessions */
	json_t *reasons;		/* why there is no verdict: code, text */
};

/* trial_share(t, k): the fraction of all kernels' time that ${k} takes, on the side
 * where it is larger. */
double trial_share(const struct trial *t, const struct trial_kernel *k);

/* trial_document(t, verdict): Trial. New reference; NULL without memory. */
json_t *trial_document(const struct trial *t, enum trial_verdict verdict);

#endif
