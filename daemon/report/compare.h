/*
 * report/compare.h: two runs of one program, before and after a change: which
 * kernels took how long, which findings are gone or new, and what became of
 * the predictions. Pure: from the documents of both runs to one document.
 *
 * Kernels are matched by name, grid and block; what then is left over by name,
 * all its shapes together; and where one kernel is left over on either side,
 * those two ("rest"). Launches of one shape are compared one by one, others by
 * what all of them took.
 *
 * compare  { base, target: { number|null, id, label, command, level, devices:
 *              [name], state, wall_s, active_s|null (wall without start-up, end
 *              and our own measuring), kernel_s|null (any kernel ran) },
 *            wall_saved_s, active_saved_s|null, kernel_saved_s|null,
 *              other_saved_s|null (what is active saves beyond what kernels
 *              do: copies and idle time),
 *            notes: [text: why the two may not be comparable],
 *            kernels: [ { name, match ("shape", "name", "rest")|null, base,
 *              target: { ids: [kernel id], launches, total_s, mean_s|null,
 *              sd_s|null, busy_s (what ran at the same time counted once) }
 *              |null, speedup_ratio|null, saved_s|null, significant|null: the
 *              difference is beyond the spread } ], the largest difference
 *              first, kernels_left_out,
 *            findings: { gone, still, new, unknown (counts), left_out, items:
 *              those worth a change in either run: [ { state, rule, title, where,
 *              kernel_id|null, base_id|null, target_id|null,
 *              predicted: { s, low_s, high_s, kernel_speedup_ratio|null }|null,
 *              achieved: { s, kernel_speedup_ratio|null }|null, within|null
 *              (achieved is in the interval, give or take 3 %), shared_with
 *              (others that are gone from the same kernel, or from the run:
 *              what was achieved is that of all), reason (of nothing
 *              achieved)|null } ] } }
 */
#ifndef CADV_COMPARE_H
#define CADV_COMPARE_H

#include <jansson.h>

/* The documents of one run; borrowed. */
struct compare_side {
	const json_t *run;		/* json_run */
	const json_t *findings;		/* json_findings */
	const json_t *kernels;		/* array of json_kernel */
};

/* New reference, or NULL without memory. Missing or wrong members are taken as
 * nothing, never fatal. */
json_t *compare_runs(const struct compare_side *base,
    const struct compare_side *target);

#endif
