/* compare/trial_parts.h: a trial on its way to its document. For trial*.c. */
#ifndef CADV_TRIAL_PARTS_H
#define CADV_TRIAL_PARTS_H

#include <stdbool.h>

#include "compare/statistics.h"
#include "compare/trial_kernels.h"

/* A time that both sides have. */
struct measure {
	double base_s, target_s;	/* a run, on average */
	struct difference by;
	enum trial_verdict verdict;
};

struct judged {
	const struct trial_kernel *k;
	struct measure m;
	bool counts;			/* it decides */
};

struct trial {
	const struct trial_set *set;
	const struct trial_ask *ask;
	struct trial_kernels kernels;
	struct judged *judged;
	double error;			/* of one interval */
	struct measure gpu, active;
	bool apart;			/* the sides are not of one session */
	json_t *reasons;		/* why nothing can be said: code, text */
};

/* trial_share(t, k): of the kernels' time, on the side where it is more. */
double trial_share(const struct trial *t, const struct trial_kernel *k);

/* trial_document(t, verdict): Trial. New reference; NULL without memory. */
json_t *trial_document(const struct trial *t, enum trial_verdict verdict);

#endif
