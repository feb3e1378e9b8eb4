/*
 * cli/samples.h: runs to be compared: recorded ones, those of a baseline, or a
 * program that is run again and again.
 */
#ifndef CADV_CLI_SAMPLES_H
#define CADV_CLI_SAMPLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compare/trial.h"

struct cli;
struct error;
struct view;

/* The documents of one run. */
struct sample {
	json_t *run, *findings, *kernels, *conditions;
};

struct sample_set {
	struct sample *sample;
	size_t n;
	/* One that was run for what it counts, not for its times. */
	struct sample counted;
	bool has_counted;
	/* NAME=VALUE, which its program is run with; NULL. */
	const char *env;
	struct trial_run *as;		/* samples_set's */
};

#define SAMPLES_INIT { .sample = NULL }

/* samples_load(cli, s, ref, e): ${ref} as view_load takes it, or a baseline, by file
 * or name, with all its runs. samples_release in any case. */
int samples_load(struct cli *cli, struct sample_set *s, const char *ref,
    struct error *e);
/* samples_view: of a view, whose documents are kept. */
int samples_view(struct cli *cli, struct sample_set *s, const struct view *v,
    struct error *e);
/* samples_baseline(s, name, e): of a baseline only. */
int samples_baseline(struct sample_set *s, const char *name, struct error *e);
/* samples_against: what --baseline names: one, by name or file, a run, a capture. */
int samples_against(struct cli *cli, struct sample_set *s, const char *name,
    struct error *e);
void samples_release(struct sample_set *s);

/* samples_set(s): as trial_judge takes them; borrows. Empty without memory. */
struct trial_set samples_set(struct sample_set *s);

/*
 * samples_interleave(cli, side, argv, e): run the program of each side in turn, one
 * more run a side each time, in ${cli}'s --runs, until --until is reached: ABBA, so
 * that what drifts meets both alike. argv[side] NULL: that side is not run. The times
 * of each one's first run are thrown away: it fills caches. Without a --level that
 * run is made at the default one, for its counters, and the others at LEVEL_TRACE.
 * -1 with ${e} set.
 */
int samples_interleave(struct cli *cli, struct sample_set side[SIDES],
    char **argv[SIDES], struct error *e);

#endif
