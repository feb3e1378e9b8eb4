/*
 * rules/engine/finding.h: the findings of the rules about a run, and their ranking.
 *
 * advice_make is the only entry: a pure function from a settled run (and this
 * GPU's ceilings) to findings. The struct advice owns all memory.
 */
#ifndef CADV_FINDING_H
#define CADV_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include <stdint.h>

#include "facts/reason.h"
#include "rules/gain/load.h"

struct run;
struct device;
struct kernel;
struct site;

#define PLACE_RUN "the run"	/* of a finding about nothing smaller */

enum rule_state { RULE_FOUND, RULE_CLEAN, RULE_NOT_MEASURED };
extern const char *const rule_state_name[];	/* "found" … */

enum severity { SEV_INFO, SEV_LOW, SEV_MEDIUM, SEV_HIGH };
extern const char *const severity_name[];
/* severity_called(name): the severity of that name; -1: none has it, or NULL. */
int severity_called(const char *name);

enum confidence { CONF_LOW, CONF_MEDIUM, CONF_HIGH };
extern const char *const confidence_name[];

/* One value that a finding rests on. */
struct evidence {
	const char *name;	/* snake_case with its unit: "sectors_ratio" */
	const char *label;	/* for people: "sectors / ideal sectors" */
	double value;		/* NaN: text only */
	const char *unit;	/* "ratio", "%", "B", "ns", "" … */
	const char *source;	/* "measured", "derived", "attribute", "estimated" */
	const char *from;	/* CUPTI metric or record it comes from */
	double threshold;	/* NaN if it is not compared with one */
	const char *threshold_origin;	/* where its default comes from
					 * ("measured: …"), or "configured" */
};

#define EVIDENCE_MAX 12

/* A line that a finding is about; line 0: an instruction without a line. */
struct hot_line {
	const char *file;	/* path; NULL: no line table */
	uint32_t line;
	const char *function;	/* the inlined function it belongs to; NULL */
	const char *called_file;	/* where that was inlined; NULL */
	uint32_t called_line;
	uint32_t pc;		/* of the instruction with most of it */
	const char *sass;	/* that instruction; NULL: no disassembly */
	const char *text;	/* the line's text, trimmed; NULL: not captured */
	double share;		/* of what the finding counts on its lines, 0..1 */
	double value;		/* in the unit of ${what}; NaN */
	const char *what;	/* "32 sectors a request"; NULL */
};

#define HOT_LINES_MAX 5

/* A launch shape that has the fault, and the seconds saved there. */
struct finding_shape {
	const struct kernel *kernel;
	double saves_s, saves_low_s, saves_high_s;
	bool unmeasured;	/* assumed to gain what its measured neighbour does */
};

struct finding {
	char id[17];		/* 16 hex digits: hash of rule, kernel and first
				 * shape: stable between runs of a program */
	const char *rule;	/* "uncoalesced-global-access" */
	const char *title;	/* the rule's one line: "uncoalesced loads" */
	const char *category;	/* launch, memory, shared, instruction,
				 * transfer, host, correctness */
	enum severity severity;
	enum confidence confidence;
	bool worth_it;		/* false: found, but fixing it saves less than
				 * noise_s: never an alarm */
	const struct kernel *kernel;	/* NULL: the run; else the launch shape that
					 * saves the most, whose values are shown */
	const struct finding_shape *shape;	/* all shapes that one change to the
						 * function fixes, the most seconds
						 * first; NULL: only ${kernel} */
	size_t shapes;
	double measured_ratio;	/* measured share of their time; 1: all of it */
	const char *where;	/* "softmax_kernel", "the run", "H2D copies" */
	const char *location;	/* launch shape, call, …; NULL unknown */
	const struct device *device;	/* for a finding without a kernel; NULL:
					 * all, or the only one */
	const struct reason *location_missing;	/* why there is no line */

	double saves_s;		/* predicted seconds of the run; NaN: not
				 * predictable, see gain_note */
	double saves_low_s, saves_high_s;
	double left_s;			/* what is left of saves_s once all
					 * findings before it are fixed: two
					 * fixes may take the same time away */
	size_t after;			/* rank of the finding that takes most
					 * of the rest; 0: none */
	size_t behind;			/* rank of the first finding that must be fixed
					 * before, though it may save less; 0: none */
	double kernel_speedup;	/* predicted, of this kernel; NaN */
	enum grounds grounds;	/* what the prediction and its interval rest on */
	const char *gain_note;	/* what the prediction assumes, or why there is none */

	const char *summary;	/* one line: what was measured */
	const char *limiter;	/* the premise: what limits now, e.g. "limited
				 * by L2 (91 % busy)"; NULL */
	const char *advice;	/* what to change in this case: one clause in
				 * the imperative; then, behind a colon or
				 * semicolon, how, and what to consider */
	const char *bad_code, *good_code;	/* short example */
	const char *next;	/* exact command of the next measurement */
	struct evidence evidence[EVIDENCE_MAX];
	size_t evidences;
	struct hot_line hot[HOT_LINES_MAX];	/* the largest share first */
	size_t hots;
	const struct site *site;	/* where it is launched or called from;
					 * NULL unknown */
};

/* finding_about(f, k): is kernel ${k} one of the shapes that ${f} is about? */
bool finding_about(const struct finding *f, const struct kernel *k);

/* The result of one rule on this run. */
struct verdict {
	const char *rule;
	enum rule_state state;
	size_t found, clean, not_measured;	/* kernels (or 1 for the run) */
	const struct reason *reason;	/* of not measured: the reason for the
					 * kernels with the most time */
};

struct advice {
	struct finding *finding;	/* ranked: first the most seconds */
	size_t findings;
	struct verdict *verdict;	/* one per rule, in table order */
	size_t verdicts;
	double together_s;	/* seconds saved by all findings worth a change
				 * at once */
	bool overlap;		/* the sum of the single savings exceeds together_s */
	double active_s;	/* first to last GPU work, without the time that
				 * our measuring took: what changes can affect */
	double noise_s;		/* a smaller saving is not worth a change: 0.5 %
				 * of the time of GPU work and the short gaps
				 * beside it, or the spread of repeated launches */
	const char *unmeasured;	/* note on kernels of weight that were not
				 * examined, why, and what to do; NULL: none:
				 * rules/engine/unmeasured.h */
};

/* Per-rule threshold overrides from the configuration. */
struct thresholds;
/* thresholds_new(): no overrides; NULL without memory. Release with thresholds_free. */
struct thresholds *thresholds_new(void);
/* thresholds_set(t, key, value): ${key} as "rule.key". 0; -1 if the table has no such
 * key, or ${value} is not a number ≥ 0. */
int thresholds_set(struct thresholds *t, const char *key, double value);
void thresholds_free(struct thresholds *t);

/* advice_make(run, t): evaluate every rule on ${run}; ${t} may be NULL. NULL
 * without memory. Release with advice_free. */
struct advice *advice_make(const struct run *run, const struct thresholds *t);
void advice_free(struct advice *a);

/* The catalogue: what a rule is, for `rules`, `explain`, the API and the page. */
struct rule_threshold {
	const char *key;	/* "min_ratio" */
	double value;
	const char *unit;
	const char *origin;
};

#define THRESHOLDS_MAX 8

struct rule_info {
	const char *id, *category, *title;
	const char *needs;	/* "trace", "counters" */
	enum severity severity;	/* the highest it gives */
	const char *why, *detects, *advice, *bad_code, *good_code, *sources,
	    *gain, *next;
	const char *pair;	/* reference kernel: cudadvise-kernels NAME; or
				 * a program of Python, "….py" */
	const char *checklist;	/* the line of the checklist that it refines */
	const char *heat;	/* what the page colours the lines of its findings
				 * by: "excess_sectors"; NULL: time */
	struct rule_threshold threshold[THRESHOLDS_MAX];
	size_t thresholds;
};
/* rule_info(i): row ${i} of the table, in table order; rule_find(id): the row of that
 * id. Static; NULL: there is none. */
size_t rule_count(void);
const struct rule_info *rule_info(size_t i);
const struct rule_info *rule_find(const char *id);

#endif
