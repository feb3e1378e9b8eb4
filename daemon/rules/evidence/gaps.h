/*
 * rules/evidence/gaps.h: recurring idle gaps of the GPU. A program that reads its
 * input, computes a reference or checks its results on the host makes a few long
 * gaps, and has nothing to overlap them with; a loop makes many similar ones.
 */
#ifndef CADV_GAPS_H
#define CADV_GAPS_H

#include "rules/engine/rule.h"

/* From this share of the launches on that belong to repeated sequences, a step is one
 * that a graph could launch. */
#define GAPS_REPEATED 0.3

/* A sequence that repeats so often is one of a loop: min_repeats of
 * launch-bound-graph-candidate. */
#define GAPS_OFTEN 10

/* min_share and min_gaps of gpu-idle-gaps, for those who do not have its row: of the time from
 * first to last GPU work, and gaps of similar length. */
#define GAPS_SHARE 0.05
#define GAPS_ALIKE 10

/* gaps_repeated(run): the share of the launches that belong to such a sequence. */
double gaps_repeated(const struct run *run);

/* gaps_varied(run): the share of those in which the same functions repeat as often, in other
 * shapes each time: only then are steps known to differ. Those that come less often, or are
 * longer than can be seen, may repeat. */
double gaps_varied(const struct run *run);

/* gaps_unit(run): of such sequences the one with the most launches, several in a row, if these
 * are a tenth of the run's, of which a graph is felt (arithmetic); NULL: none. */
#define GAPS_UNIT 0.1
const struct sequence *gaps_unit(const struct run *run);

/* Gaps of up to this long on average are what an interpreter does from one launch to
 * the next: an operator takes it 10 to 60 us, and some launch nothing. */
#define BRIEF_S 150e-6

struct again {
	double host, api, sync;	/* idle seconds by cause */
	double input;		/* of these, before copies from the host */
	double moved;		/* of these, before copies within the device */
	double fed;		/* of these, after copies from the host, and not before one */
	double output, outputs, output_bytes;	/* of these, after copies to the host:
				 * so many, of so much data in all */
	double between;		/* of these, after copies to the host and before copies from
				 * it: the least, by what output and input have in common */
	double waited, waits;	/* of these, after so many waits for other work */
	double brief;		/* of these, in gaps of BRIEF_S on average or less */
	double gaps;
	double base;		/* first to last GPU work without all other gaps
				 * that the host caused, s */
};

/*
 * gaps_again(run, least, shortest_s): the gaps of which at least ${least} are
 * of similar length, within a factor of two by the host's part of each, which
 * is ${shortest_s} or more on average; shorter ones count for base only. Gaps
 * in which we measured are left out, since the first work after them is slower.
 */
struct again gaps_again(const struct run *run, double least,
    double shortest_s);

/* gaps_alike(run, ns): how many gaps are of similar length as one of which the host's part
 * is ${ns}: those of its class and the two next to it. */
double gaps_alike(const struct run *run, uint64_t ns);

/* gaps_own_frame(s): the frame of ${s} to name: the innermost of the program's own Python, or
 * of a program without Python the one that is shown anyway; s->frames: there is none. */
size_t gaps_own_frame(const struct site *s);

/* gaps_s(run, least, longest_s): idle seconds in such gaps whose host part is
 * ${longest_s} on average or less, and idle seconds for launching, except in
 * longer gaps: waits of the host cannot have cost more. */
double gaps_s(const struct run *run, double least, double longest_s);

/* Longer gaps in front of copies to the GPU are late input, not slow launching: it is the
 * longest gap that the model counts as part of a sequence. */
#define GAPS_LATE_S 100e-6

/* gaps_inputs(run, longer_s): about how many gaps whose host part is ${longer_s} on average
 * or more lie in front of copies from the host. */
double gaps_inputs(const struct run *run, double longer_s);

/*
 * gaps_place(run, least_s, whole): where the host launches the work in front of which
 * more than ${least_s} seconds of its part of such gaps lie (struct kernel,
 * host_before_ns): a launch site, all kernels that its line launches taken together; or
 * else all that its function does, and *${whole} is true. NULL if no place has so much,
 * no site is known or memory is short.
 */
const struct site *gaps_place(const struct run *run, double least_s, bool *whole);

/* What the host does in front of some launches. */
struct in_front {
	double s, launches;
	const struct site *site;	/* the launch site with the most of it; NULL */
};

/* gaps_in_front(run, is): its part of such gaps in front of launches from the sites for
 * which ${is} is true. */
struct in_front gaps_in_front(const struct run *run,
    bool (*is)(const struct site *s));

/* gaps_tried(run, is): the same of launches from sites for which ${is} is true, with which a
 * compiler or library tries out which of its variants is fastest (framework_tunes), and how
 * many these are: once for each shape, and not again. The places below are of other
 * launches. */
struct tried {
	double s, launches;
};
struct tried gaps_tried(const struct run *run, bool (*is)(const struct site *s));

/* gaps_unsteady(run): are most launches such trials, and do few of the others repeat? Then
 * the run ended before there was a step to judge. */
bool gaps_unsteady(const struct run *run);

/*
 * gaps_within(arena, run, least_s, s): the line of the program's own Python within whose
 * calls at least ${least_s} seconds of that lie, *${s} seconds: of the lines that have
 * most of what has a line at all, the one with the least, which is the innermost. A
 * launch site that shows it, in ${arena}; NULL: none, or memory is short. The line that
 * calls everything says nothing: it is not taken.
 */
const struct site *gaps_within(struct arena *arena, const struct run *run, double least_s,
    double *s);

/* The same of stacks that the caller has: gaps_within_add each with its seconds, then find,
 * and free. Without memory for it ${w} is NULL, which all of them take. */
struct gaps_within *gaps_within_new(void);
/* With which a line is taken that has called everything, if no line in it has as much as is
 * asked for. */
struct gaps_within *gaps_within_any(void);
void gaps_within_add(struct gaps_within *w, const struct site *site, double s);
const struct site *gaps_within_find(struct gaps_within *w, struct arena *arena, double least_s,
    double *s);
void gaps_within_free(struct gaps_within *w);

/*
 * gaps_after(arena, run, calls, is, made, gaps): the line of the program's own code that
 * makes the calls before ${gaps} gaps: sites of ${calls}, a set of 1ull << enum
 * wire_call, for which ${is} is true (NULL: all). ${made} calls were made in all, and
 * which of them precede gaps is not known: the line makes so many that at least half of
 * the gaps follow its. A site that shows it, in ${arena}; NULL: none, or memory is short.
 */
const struct site *gaps_after(struct arena *arena, const struct run *run,
    uint64_t calls, bool (*is)(const struct site *s), double made, double gaps);

/*
 * gaps_away(arena, run, least_s, gaps, is): the line of the program's own code in front
 * of whose calls the GPU waited for at least ${least_s} seconds, ${gaps} times or more,
 * while the host made no call for 1 ms or longer: sites for which ${is} is true (NULL:
 * all). A site that shows it, in ${arena}; NULL: none, or memory is short.
 */
const struct site *gaps_away(struct arena *arena, const struct run *run, double least_s,
    double gaps, bool (*is)(const struct site *s));

/* gaps_away_s(run, is, gaps): the seconds of it at all such sites, in *${gaps} gaps. */
double gaps_away_s(const struct run *run, bool (*is)(const struct site *s), double *gaps);

#endif
