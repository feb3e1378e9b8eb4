/*
 * rules/engine/rule.h: the definition of a rule, and the functions that it may use.
 *
 * daemon/rules/README.md says what a practice consists of, and how to add one.
 *
 * A rule reads no clock, does no I/O, and keeps no state. It states what a
 * change does to the demands of a kernel (struct fix; of several kernels, struct
 * part) or which idle and copy time it would recover (struct claim); rank.c
 * derives seconds, severity and rank from that, in the same way for every rule.
 *
 * The steps of a rule about a kernel:
 * 1. Return RULE_CLEAN where it does not apply, rule_unmeasured(…) where a value is
 *    missing (the data that its row needs are there, but a single value may not be), and
 *    RULE_CLEAN where a value does not reach its threshold, rule_value(x, key).
 * 2. d = rule_found(x, NULL) begins a finding. Set d->f.summary, d->f.advice and
 *    d->f.gain_note (finding.h), add the values by rule_evidence, the change by rule_fix.
 * 3. End with rule_settle(x, d), or lines_settle (evidence/lines.h), which also names
 *    lines: both withdraw a finding that would save next to nothing.
 * A rule about the run begins with rule_found(x, key) for each finding, sets d->claim
 * instead of the fix, and returns RULE_FOUND, or RULE_CLEAN if it began none.
 */
#ifndef CADV_RULE_H
#define CADV_RULE_H

#include "facts/chip.h"
#include "source/sass.h"

#include "model/ceilings.h"
#include "rules/gain/gain.h"
#include "model/model.h"

#include "rules/engine/arena.h"
#include "rules/engine/finding.h"
#include "rules/evidence/library.h"
#include "rules/evidence/workers.h"
#include "rules/engine/say.h"

enum rule_scope { SCOPE_KERNEL, SCOPE_RUN };

/* Data without which a rule is not evaluated. */
enum rule_need {
	NEED_TRACE = 1, NEED_COUNTERS = 2,
	NEED_SOURCE = 4,	/* counts by instruction */
	NEED_SAMPLES = 8,	/* PC samples */
	NEED_CODE = 16,		/* disassembly */
	NEED_CUBIN = 32,	/* any code: its cubin was examined */
	NEED_OWN = 64,		/* code that the user can change: not a library's */
	/* The trace records that a rule about the run reads; if it names none,
	 * all of its kind (reads.h). A rule about kernels always reads their
	 * launches. Without these records there is no "clean". */
	NEED_KERNELS = 128,	/* launches */
	NEED_COPIES = 256,	/* copies and memsets */
	NEED_CALLS = 512,	/* API calls, waits of the host, failures */
	NEED_MEMORY = 1024,	/* allocations and releases */
	NEED_CHECK = 2048,	/* a correctness tool: cudadvise sanitize */
	NEED_JIT = 4096,	/* the driver's JIT compilations */
	NEED_CALLED = 8192,	/* for a library's kernel no other data: the rule
				 * is about how it is called (rule_view.library) */
	NEED_LINES = 16384,	/* counts or samples: the finding is by line */
	NEED_IDLE = 32768	/* idle time: beside XLA, where copies are not
				 * traced, they count as idle */
};

/* Pools of time that findings about the run recover; an idle cause is pool 1 <<
 * cause. */
#define POOL_IDLE(cause) (1u << (cause))
#define POOL_COPY (1u << IDLE_CAUSES)	/* exposed copies and memsets */
#define POOL_FAULT (1u << (IDLE_CAUSES + 1))	/* kernels waiting for pages of
						 * managed memory */
#define POOL_SHARE (1u << (IDLE_CAUSES + 2))	/* the busiest GPU's kernels,
						 * beyond an even share */
#define POOL_TURNS (1u << (IDLE_CAUSES + 3))	/* kernels that could run at the
						 * same time */
#define POOL_ISSUED (1u << (IDLE_CAUSES + 4))	/* copies that nothing waits for,
						 * while the host is busy, perhaps
						 * calling for more of them */
#define POOL_LAUNCHED (1u << (IDLE_CAUSES + 5))	/* kernels that nothing waits for,
						 * while the host is busy launching */
#define POOL_ROUNDS (1u << (IDLE_CAUSES + 6))	/* the host's work between rounds of the
						 * GPU's: in no idle cause's pool */
#define POOLS (IDLE_CAUSES + 7)

struct claim {
	uint32_t pools;		/* the seconds come out of these */
	struct gain s;		/* seconds */
};

#define CLAIMS_MAX 2

/* A kernel that a finding about the run shortens, and how. */
struct part {
	const struct kernel *kernel;
	const struct load *load;
	struct fix fix[VIEWS];
};

/* One of the launch shapes that a finding is about. */
struct member {
	struct finding_shape shape;
	struct part part;
	double speedup, gpu_s;		/* as in struct draft */
};

/* What prevents launching a loop ahead, or as a graph: the host waits for the
 * GPU, it allocates, or the input is late; or what hides how much is left to do: streams
 * that could share the GPU take turns. */
#define BAR_WAIT 1u
#define BAR_ALLOCATION 2u
#define BAR_INPUT 4u
#define BAR_TURNS 8u

struct folded;				/* group.c */
struct texts;				/* evidence/texts.h */

/* A finding under construction. */
struct draft {
	struct finding f;
	const struct rule *rule;
	size_t order;			/* row of the rule */
	const struct load *load;	/* of f.kernel */
	struct fix fix[VIEWS];		/* for findings about a kernel */
	struct claim claim[CLAIMS_MAX];	/* for findings about the run */
	size_t claims;
	double cause_s;			/* seconds of the recurring gaps that it
					 * causes, also where it claims less; for a
					 * residual finding: those that it counts */
	const struct part *part;	/* for findings about the run; for a kernel, its
					 * other shapes; owned by the view's arena */
	size_t parts;
	uint64_t cause;			/* group key, see group.h; 0: none */
	const char *setting;		/* a library's mode that fixes it in any
					 * kernel where the rule finds it; lives
					 * as long as the program; NULL */
	const char *variant;		/* of the practice, if a framework has other
					 * words for it: frameworks.json; NULL: one whose
					 * "frames" are on the stack of the call, if any */
	const char *function;		/* of the program, which is to be compiled where it has
					 * no model: frameworks.json has other words then,
					 * with "{function}"; NULL */
	const char *lead, *more;	/* what the advice begins and goes on with, in
					 * whatever words a framework has for it; NULL */
	struct folded *folded;
	bool estimated;			/* from samples or the code */
	bool merged;			/* another draft represents it */
	double gpu_s;		/* what the fix takes of a kernel's own time:
				 * tells fixes apart that save the run nothing,
				 * as the host keeps the GPU waiting */
	bool minor;		/* never worth a change */
	bool small;		/* rank.c: too small to see in the whole run */
	bool residual;		/* gets only what other findings leave */
	double residual_min_s;	/* and nothing if that is less than this */
	uint32_t waits;		/* the BAR_… that fixing it removes from the loop */
	uint32_t barred;	/* BAR_… during which only the low view of its
				 * gain is certain */
	bool with_waits;	/* its change is that of a step, waits and all */
	bool feeds;		/* its change is to what processes prepare that the
				 * loop waits for, or to what is outside of the loop:
				 * these do not bound it */
	struct during during;	/* when what it changes runs, if that is known */
	bool leads;		/* comes first: until it is fixed, other
				 * measurements say little */
	enum severity cap;	/* the highest severity it may get; for
				 * correctness: the one it has */
};

struct rule_view;
/* Evaluates a rule for x->kernel, or for the run; see rule_found, rule_unmeasured. */
typedef enum rule_state rule_function(struct rule_view *x);

#define EXPLAINS_MAX 4

struct rule {
	const char *id, *category;
	enum rule_scope scope;
	enum severity severity;		/* the highest */
	unsigned needs;			/* enum rule_need */
	const char *title;
	rule_function *function;
	const char *checklist;		/* the line of the checklist that the
					 * rule refines */
	const char *heat;		/* what the page colours lines by; NULL: time */
	const char *program;		/* the Python program that is its pair; NULL:
					 * the pair is one of cudadvise-kernels */
	const char *explains[EXPLAINS_MAX + 1];	/* ids of later rules that
						 * add nothing where it
						 * finds something; NULL
						 * ends */
	struct {
		rule_function *function;	/* NULL: the rule needs counters */
		enum confidence most;
		double least;		/* samples at an issue that it needs */
	} sampled;
	struct {
		uint32_t flags;		/* of instructions that it needs; 0:
					 * code does not suffice */
		enum sass_space space;
		bool counted;		/* needs counters of the kernel, too */
		rule_function *function;	/* NULL: the rule's own */
	} coded;
	rule_function *inferred;	/* NULL: nothing can be inferred */
	struct rule_threshold threshold[THRESHOLDS_MAX + 1]; /* ends with key NULL */
};

extern const struct rule rule_table[];
extern const size_t rule_table_size;

/* The thresholds in force, [row][threshold]. */
struct thresholds {
	double (*value)[THRESHOLDS_MAX];	/* NaN: the default */
};

/* The result of a kernel rule on one kernel. */
enum seen {
	SEEN_OTHER,		/* the rule does not apply to it */
	SEEN_FOUND, SEEN_CLEAN,
	SEEN_LACKING		/* not measured: other shapes may tell */
};

/* The input and output of one evaluation. */
struct rule_view {
	const struct rule *rule;
	size_t order;
	const struct thresholds *thresholds;	/* NULL: defaults */
	const struct run *run;
	/* For a rule about kernels: */
	const struct kernel *kernel;
	const struct kernel *own;		/* the real kernel if ${kernel}
						 * contains estimates; else NULL */
	const struct device *device;
	const struct ceilings *ceiling;		/* of that device */
	const struct load *load;
	const struct library *library;	/* the kernel's; NULL: the user's */
	const struct load *loads;	/* of run->kernel, by index */
	const struct library *libraries;	/* of all kernels, by index; name
						 * NULL: the user's */
	const struct json_t *framework;	/* of most kernels by time, by their names; NULL */
	const char *convolves;		/* the library whose convolutions called.c
					 * looked at last: are they in FP32? */
	bool convolves_fp32;
	const bool *lost;		/* by index: an autotuner tried the kernel out,
					 * and the program does not launch it */
	struct texts *texts;			/* of run->source_file; NULL: none */
	/* Results: */
	struct arena *arena;
	struct draft *draft;
	size_t drafts, room;
	uint64_t *ids;			/* a bit for each id that was made, by its
					 * hash (rule.c); NULL: not known */
	struct draft spare;			/* a draft without memory */
	struct folded *folded;			/* group.h */
	size_t foldeds;
	uint8_t *seen;				/* [run->kernels], enum seen */
	bool lacking;				/* data is missing for the kernel */
	const struct reason *reason;		/* for not measured */
};

#define RULE(function, ...) rule_function rule_##function;
#include "rules/engine/rules.def"

/* rule_ids_new(): for rule_view.ids; freed by free(). NULL without memory. */
uint64_t *rule_ids_new(void);

/* rule_value(x, key): the threshold in force; asserts that ${key} exists. */
double rule_value(const struct rule_view *x, const char *key);

/*
 * rule_found(x, key): a new draft, with everything filled in that follows from
 * the rule and the kernel, and a fix that changes nothing. ${key} distinguishes a
 * rule's findings about a run, and is the same in every run; NULL for a kernel.
 * Never NULL: without memory it is a spare draft that is not reported. Valid
 * until the next rule_found. Example code and the next measurement come from the
 * chapter, unless the rule sets d->f.bad_code, d->f.good_code or d->f.next.
 */
struct draft *rule_found(struct rule_view *x, const char *key);

/* rule_drop(x, d): withdraw ${d}, which must be the latest draft. */
void rule_drop(struct rule_view *x, const struct draft *d);

/* rule_unmeasured(x, code), rule_unmeasured_for(x, reason): set the reason,
 * return RULE_NOT_MEASURED. ${reason} must be static, or in the arena for a
 * rule about the run. */
enum rule_state rule_unmeasured(struct rule_view *x, enum reason_code code);
enum rule_state rule_unmeasured_for(struct rule_view *x,
    const struct reason *reason);

/* rule_reason(x, code, fmt, …): a reason with a text of its own, in the arena;
 * without memory the row of ${code}. For findings and rules about the run. */
const struct reason *rule_reason(const struct rule_view *x,
    enum reason_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * rule_is_debug(x): was the kernel's code built with -G? What the compiler then
 * does not optimise is not the kernel's fault: rules about its code do not apply.
 */
bool rule_is_debug(const struct rule_view *x);

/*
 * rule_is_explained(x): did an earlier rule whose row lists this one in .explains
 * find something in the view's kernel? Then this rule has nothing to add.
 */
bool rule_is_explained(const struct rule_view *x);

/*
 * rule_said(x, id): did rule ${id}, which must precede this one in rules.def, find
 * something in the view's kernel? For decisions that need more than rule_is_explained.
 */
bool rule_said(const struct rule_view *x, const char *id);

/* rule_kernel(x): the view's kernel as recorded in the run, without estimates. */
const struct kernel *rule_kernel(const struct rule_view *x);

/* rule_lacks(x): return "not measured" for the reason that the kernel has no
 * counters (permission …). */
enum rule_state rule_lacks(struct rule_view *x);

/*
 * rule_evidence(x, d, name, value, label, ...): append a value that the finding
 * rests on. The remaining arguments are fields of struct evidence_from: the
 * origin, in the field for the way in which it is known; the unit; the
 * threshold that the value is compared with.
 */
struct evidence_from {
	/* A CUPTI metric or a record; one of these four. */
	const char *measured, *derived, *estimated, *attribute;
	const char *source, *from;	/* instead, if which of them depends on
					 * the case */
	const char *unit;	/* NULL: implied by the name */
	const char *key;	/* of the rule's threshold; NULL: none */
};
#define rule_evidence(x, d, name, value, label, ...)			\
	rule_evidence_add(x, d, name, value, label,			\
	    (struct evidence_from){ __VA_ARGS__ })
void rule_evidence_add(const struct rule_view *x, struct draft *d,
    const char *name, double value, const char *label, struct evidence_from o);

/* rule_metric(x, id): a metric of the view's kernel; NaN if it is not a number ≥ 0. */
double rule_metric(const struct rule_view *x, enum metric_id id);

/* "limited by L2 (91 % busy)", "latency-bound: no unit saturated (busiest: DRAM,
 * 31 %)", or NULL without counters. */
const char *rule_limiter(const struct rule_view *x);

/* rule_fix(d, f, low, mid): set the fix of all three views: ${f} in the high
 * view, and the shares ${low} and ${mid} of it in the others. */
void rule_fix(struct draft *d, const struct fix *f, double low, double mid);

/* rule_fix_near(d, f, low, mid): the same for a change that reaches all of the work,
 * but not quite its ideal: what it falls short by is a factor of the time that is
 * left (fix_power), not a share of the time before, which would hold every prediction
 * below 1 / (1 − ${mid}), however much the change removes. */
void rule_fix_near(struct draft *d, const struct fix *f, double low, double mid);

/*
 * rule_settle(x, d): RULE_FOUND, if the middle view of the fix saves at least
 * PAYS_LEAST of a launch. Else the observation does not matter to this kernel:
 * ${d}, the latest draft, is withdrawn, and the kernel is clean; or not
 * measured, if the fix relieves a resource whose counter is missing.
 */
#define PAYS_LEAST 0.01
enum rule_state rule_settle(struct rule_view *x, struct draft *d);

/*
 * rule_is_blind(x): is it unknown whether more warps would help? Either there
 * are no counters, or the tensor pipe was not counted and the kernel is built
 * like one that feeds it (many registers, much shared memory, few warps).
 */
bool rule_is_blind(const struct rule_view *x);

/* rule_blind(x, d): if rule_is_blind, lower confidence and severity of ${d} to low. */
void rule_blind(const struct rule_view *x, struct draft *d);

/* rule_blocks(k), rule_threads(k): blocks of the kernel's grid, and threads per
 * block. */
double rule_blocks(const struct kernel *k);
uint32_t rule_threads(const struct kernel *k);

/* rule_part_of_gpu(run, k): the share of its GPU that one launch fills, 0..1.
 * Merged into one grid, independent launches take that share of their time. */
double rule_part_of_gpu(const struct run *run, const struct kernel *k);

/* rule_wall_s(run): seconds of the whole run. */
double rule_wall_s(const struct run *run);

/* rule_busy(x, r): utilisation of resource ${r} during the kernel, 0..1; NaN.
 * rule_is_bound(x, r): is ${r} what limits the kernel? */
double rule_busy(const struct rule_view *x, enum resource r);
bool rule_is_bound(const struct rule_view *x, enum resource r);

/* rule_window_s(run): seconds from the first to the last GPU work, without
 * start-up and end.
 * rule_active_s(run): the same without idle time caused by measuring, which is
 * what a change can affect. */
double rule_window_s(const struct run *run);
double rule_active_s(const struct run *run);

/* rule_own_s(run): seconds of the whole run without that idle time, as if it
 * were not measured. */
double rule_own_s(const struct run *run);

/* rule_allocating_s(run, calls): seconds of calls that allocate or release
 * memory in the hot path (model/host.h); *${calls}, unless NULL: their number.
 * rule_allocates(call): is ${call} one of them? */
double rule_allocating_s(const struct run *run, uint64_t *calls);
bool rule_allocates(enum wire_call call);

/*
 * rule_queued(run, idle_s, waits): seconds saved if work is enqueued ahead instead of
 * after ${waits} waits of the host, behind which the GPU idles for ${idle_s}. As far as
 * the GPU has more work than that, the host stays ahead of it, and all of the idle time
 * goes. The high view includes the gaps that an empty queue causes before other work.
 *
 * rule_turn(idle_s, waits): the share of that idle time, 0..1, that the host
 * needs to get from a wait to the next launch; in the rest it computes, perhaps
 * with the result of the wait.
 */
struct gain rule_queued(const struct run *run, double idle_s, uint64_t waits);
double rule_turn(double idle_s, uint64_t waits);

/* The time from the end of GPU work to the host plus from the launch to the
 * GPU: a wait behind each kernel of 0 to 50 us made a loop 5.5 to 8.8 us per
 * kernel longer, 7.3 in the median; H200, 2026-11-23. */
#define ROUND_TRIP_S 7.3e-6

/* The longest time from the end of a wait to the next launch in which the host
 * only wakes up and makes a few calls: in a longer one it computes. */
#define TURN_S 50e-6

/*
 * rule_unwaited(run, idle_s, waits, copies, trip_s): seconds saved if the host
 * does not wait at all, because it looks at results later or never. Of the idle
 * time around ${waits} waits, the round trip of ${trip_s} each goes. The host's
 * other work, and the calls of the whole run except ${copies} copies, overlap
 * the GPU's work: both together take as long as the longer one.
 */
double rule_unwaited(const struct run *run, double idle_s, uint64_t waits,
    uint64_t copies, double trip_s);

/* rule_copy_exposure(run): the share of the run's copy time that lengthened it,
 * 0..1. */
double rule_copy_exposure(const struct run *run);

/* rule_kernel_exposure(run): the same for the kernels' time. */
double rule_kernel_exposure(const struct run *run);

/* rule_fault_s(run): seconds of kernels during which pages of managed memory
 * migrated, or faults on them were served; at most the kernels' time. */
double rule_fault_s(const struct run *run);

/*
 * rule_gpus(run, t): fill ${t}: how the GPUs of a run share its work. GPUs that
 * work less than USED_LEAST of the busiest one's time count as idle.
 */
#define USED_LEAST 0.05
struct gpus {
	size_t seen, used;	/* visible to the program; with work */
	double work_s;		/* kernels of all used ones, summed */
	double busy_s;		/* time during which any GPU ran a kernel */
	double most_s;		/* kernels of the busiest one */
	double turns_s;		/* of busy_s: while the busiest one waited */
	double uneven_s;	/* of most_s: more than an even share */
};
void rule_gpus(const struct run *run, struct gpus *t);

/*
 * noise.c: rank_noise_s(run): the least saving, s, that is worth a change: a
 * share of rank_work_s(run), the time of the GPU's work and the short gaps beside
 * it, but for copies of results that are set apart (so that the start-up of the
 * host, or its checks of results, do not hide what a program can gain), or the
 * spread of repeated launches if that is more.
 */
#define NOISE_SHARE 0.005	/* of a time: a smaller saving is not noticed */
double rank_work_s(const struct run *run);
double rank_noise_s(const struct run *run);

/*
 * rank.c: gains, severities and order. Severity depends on the share of the whole run.
 *
 * rank_kernel(d, noise_s): set the seconds of ${d} by itself, and whether it is
 * worth a change.
 * rank_all(d, n, run, a): set seconds and severities of all drafts, order them,
 * and fill the findings of ${a}.
 */
void rank_kernel(struct draft *d, double noise_s);
void rank_all(struct draft *d, size_t n, const struct run *run,
    struct advice *a);

#endif
