/*
 * report/analyse.h: from a model to the documents about the run: settle it,
 * evaluate the rules (struct analysis), and write the documents of
 * report/document.def. The daemon writes all of them, for live and finished
 * runs, on import and reanalyze; the command writes those that it shows. Pure.
 */
#ifndef CADV_ANALYSE_H
#define CADV_ANALYSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/document.h"

struct advice;
struct error;
struct model;
struct run;
struct thresholds;

struct analysis {
	const struct run *run;		/* the model's, until its next settle */
	struct advice *advice;
	int revision;			/* 1 at first */
};

#define ANALYSIS_INIT { .revision = 1 }

/* analysis_make(a, m, final, t): settle ${m} and evaluate the rules. ${t} may be NULL.
 * 0; -1 without memory, or if the process is ending; then ${a} needs no release. */
int analysis_make(struct analysis *a, struct model *m, bool final,
    const struct thresholds *t);
void analysis_release(struct analysis *a);

struct document {
	const char *noun;	/* static */
	char id[48];
	char *json;		/* malloced */
	int64_t time_ns;	/* sort keys; 0 where they do not apply */
	int64_t launches;
	char *name;		/* malloced, or NULL */
};

struct documents {
	struct document *item;	/* in rank order per noun */
	size_t items, cap;
	char uuid[33];
	char state[16];
	char *label;
	int64_t started_ns;	/* CLOCK_REALTIME */
	int64_t wall_ns;
};

/*
 * analyse(m, final, t, revision, run): the documents of the run in ${m}; NULL without
 * memory, or if the process is ending. Release with documents_free. ${t} may be NULL.
 * *${run} (may be NULL) is the settled run, valid until the model's next settle.
 */
struct documents *analyse(struct model *m, bool final,
    const struct thresholds *t, int revision, const struct run **run);

/* analyse_error(e): set the reason why analyse returned NULL. Returns -1. */
int analyse_error(struct error *e);

/* documents_replace(d, which, json): replace the run's document ${which} that
 * analyse wrote. Takes over ${json}; without memory the old document stays. */
void documents_replace(struct documents *d, enum document_id which,
    json_t *json);

void documents_free(struct documents *d);

#endif
