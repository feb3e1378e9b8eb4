/*
 * cli/samples.h: sets of runs to compare: recorded runs, those of a baseline,
 * or repeated runs of a program.
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
	/* A run made for its counters, not for its times. */
	struct sample counted;
	bool has_counted;
	/* NAME=VALUE for the environment of its program; NULL. */
	const char *env;
	struct trial_run *as;		/* storage of samples_set */
};

#define SAMPLES_INIT { .sample = NULL }

/* samples_load(cli, s, ref, e): append a run (${ref} as for view_load), or all runs
 * of a baseline, by file or name. -1 with ${e} set. samples_release in any case. */
int samples_load(struct cli *cli, struct sample_set *s, const char *ref,
    struct error *e);
/* samples_view(cli, s, v, e): append the run of a view; its documents are kept. */
int samples_view(struct cli *cli, struct sample_set *s, const struct view *v,
    struct error *e);
/* samples_baseline(s, name, e): append the runs of a baseline. */
int samples_baseline(struct sample_set *s, const char *name, struct error *e);
/* samples_against(cli, s, name, e): append what --baseline names: a baseline by
 * name or file, a run, or a capture. */
int samples_against(struct cli *cli, struct sample_set *s, const char *name,
    struct error *e);
void samples_release(struct sample_set *s);

/* samples_set(s): the set in the form of trial_judge; borrows from ${s}. Empty
 * without memory. */
struct trial_set samples_set(struct sample_set *s);

/*
 * samples_interleave(cli, side, argv, e): run the program of each side in turn,
 * one more run per side each time, ${cli}'s --runs times, until --until is
 * reached or --seconds are over: ABBA, so that drift affects both alike. argv[side] NULL: that side
 * is not run. The times of each side's first run are discarded: it fills
 * caches. Without --level that run is made at the default level, for its
 * counters, and the others at LEVEL_TRACE. -1 with ${e} set.
 */
int samples_interleave(struct cli *cli, struct sample_set side[SIDES],
    char **argv[SIDES], struct error *e);

#endif
