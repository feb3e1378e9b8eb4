/*
 * rules/engine/rule.h: what a rule is, and what it may use.
 *
 * What a practice consists of, and how to add one, is in daemon/rules/README.md.
 *
 * A rule reads no clock, does no I/O, keeps no state. It says what a change
 * does to the demands of a kernel (struct fix; of several, struct part) or which
 * idle and copy time it would recover (struct claim); seconds, severity and rank
 * follow from that in rank.c, the same way for every rule.
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
#include "rules/engine/say.h"

enum rule_scope { SCOPE_KERNEL, SCOPE_RUN };

/* Data without which a rule is not asked. */
enum rule_need {
	NEED_TRACE = 1, NEED_COUNTERS = 2,
	NEED_SOURCE = 4,	/* counts of each instruction */
	NEED_SAMPLES = 8,	/* PC samples */
	NEED_CODE = 16,		/* disassembled */
	NEED_CUBIN = 32,	/* any code: its cubin was looked at */
	NEED_OWN = 64,		/* code that the user can change: no library's */
	/* What of the trace a rule about the run reads; one that names nothing
	 * is taken to read all of its kind (reads.h). A rule about kernels
	 * reads their launches anyway. Without it there is no "clean". */
	NEED_KERNELS = 128,	/* launches */
	NEED_COPIES = 256,	/* copies and memsets */
	NEED_CALLS = 512,	/* API calls, waits of the host, failures */
	NEED_MEMORY = 1024,	/* allocations and releases */
	NEED_CHECK = 2048,	/* a correctness tool: cudadvise sanitize */
	NEED_JIT = 4096,	/* what the driver compiles */
	NEED_CALLED = 8192,	/* of a library's kernel nothing else: the rule is
				 * about how that is called (rule_view.library) */
	NEED_LINES = 16384	/* counts or samples: what is said by line */
};

/* Time that findings about the run recover; an idle cause is pool 1 << cause. */
#define POOL_IDLE(cause) (1u << (cause))
#define POOL_COPY (1u << IDLE_CAUSES)	/* exposed copies and memsets */
#define POOL_FAULT (1u << (IDLE_CAUSES + 1))	/* kernels waiting for pages of
						 * managed memory */
#define POOL_SHARE (1u << (IDLE_CAUSES + 2))	/* the busiest GPU's kernels,
						 * beyond an even share */
#define POOL_TURNS (1u << (IDLE_CAUSES + 3))	/* kernels that could run beside
						 * each other */
#define POOL_ISSUED (1u << (IDLE_CAUSES + 4))	/* copies that nobody waits for: the
						 * host is busy meanwhile, perhaps
						 * calling for more of them */
#define POOL_LAUNCHED (1u << (IDLE_CAUSES + 5))	/* kernels that nobody waits for:
				 * the same of the host's launches */
#define POOLS (IDLE_CAUSES + 6)

struct claim {
	uint32_t pools;		/* it comes out of these */
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

/* What keeps a loop from being launched ahead, or at once: the host waits for the GPU,
 * allocates, or the input is late. */
#define BAR_WAIT 1u
#define BAR_ALLOCATION 2u
#define BAR_INPUT 4u

struct folded;				/* group.c */

/* A finding in the making. */
struct draft {
	struct finding f;
	const struct rule *rule;
	size_t order;			/* row of the rule */
	const struct load *load;	/* of its kernel */
	struct fix fix[VIEWS];		/* kernel findings */
	struct claim claim[CLAIMS_MAX];	/* run findings */
	size_t claims;
	double cause_s;			/* gaps that come again and that it is the
					 * cause of, s, also where it promises less;
					 * of a residual finding: that it counts */
	const struct part *part;	/* run findings, and of a kernel the other
					 * shapes: the view's arena has it */
	size_t parts;
	uint64_t cause;			/* group.h; 0 none */
	const char *setting;		/* what mends it wherever the rule finds it,
					 * in whatever kernel: a mode of a library;
					 * lives as long as the program. NULL */
	const char *variant;		/* of the practice, where a framework has
					 * other words for it: frameworks.json; NULL */
	struct folded *folded;
	bool estimated;			/* from samples or the code */
	bool merged;			/* another draft speaks for it */
	double gpu_s;		/* of a kernel's own time, what the fix takes:
				 * what tells apart fixes that save the run
				 * nothing, as the host keeps it waiting */
	bool minor;		/* not worth it, whatever it is */
	bool small;		/* rank.c: too little to be seen in the whole run */
	bool residual;		/* has only what other findings leave */
	double residual_min_s;	/* and is nothing below that */
	uint32_t waits;		/* BAR_… that the loop loses with it */
	uint32_t barred;	/* BAR_… while which stand no more than the low view
				 * of its gain is sure */
	bool leads;		/* first of all: while it stands, no other
				 * measurement says much */
	enum severity cap;	/* the highest it may get; correctness: has */
};

struct rule_view;
typedef enum rule_state rule_function(struct rule_view *x);

#define EXPLAINS_MAX 4

struct rule {
	const char *id, *category;
	enum rule_scope scope;
	enum severity severity;		/* the highest */
	unsigned needs;			/* enum rule_need */
	const char *title;
	rule_function *function;
	const char *checklist;		/* the line of the checklist that it refines */
	const char *heat;		/* what the page colours lines by; NULL: time */
	const char *program;		/* of Python, which is its pair; NULL: it is
					 * one of cudadvise-kernels */
	const char *explains[EXPLAINS_MAX + 1];	/* rules, NULL ends */
	struct {
		rule_function *function;	/* NULL: it needs counters */
		enum confidence most;
		double least;		/* samples at an issue */
	} sampled;
	struct {
		uint32_t flags;		/* of instructions; 0: code is not enough */
		enum sass_space space;
		bool counted;		/* nor without counters of the kernel */
		rule_function *function;	/* NULL: the rule's own */
	} coded;
	struct rule_threshold threshold[THRESHOLDS_MAX + 1]; /* key NULL ends */
};

extern const struct rule rule_table[];
extern const size_t rule_table_size;

/* The thresholds in force, [row][threshold]. */
struct thresholds {
	double (*value)[THRESHOLDS_MAX];	/* NaN: the default */
};

/* What became of a kernel rule on one kernel. */
enum seen {
	SEEN_OTHER,		/* the rule is not about it */
	SEEN_FOUND, SEEN_CLEAN,
	SEEN_LACKING		/* it was not measured: other shapes may tell */
};

/* What one evaluation sees. */
struct rule_view {
	const struct rule *rule;
	size_t order;
	const struct thresholds *thresholds;	/* NULL: defaults */
	const struct run *run;
	/* Of a kernel rule: */
	const struct kernel *kernel;
	const struct kernel *own;		/* it, where ${kernel} has
						 * estimates in it; else NULL */
	const struct device *device;
	const struct ceilings *ceiling;		/* of that device */
	const struct load *load;
	const struct library *library;	/* whose kernel it is; NULL: the user's */
	/* Of a run rule: the loads of run->kernel. */
	const struct load *loads;
	const struct library *libraries;	/* of all kernels, by index; name
						 * NULL: the user's */
	/* Results: */
	struct arena *arena;
	struct draft *draft;
	size_t drafts, room;
	struct draft spare;			/* what is found without memory */
	struct folded *folded;			/* group.h */
	size_t foldeds;
	uint8_t *seen;				/* [run->kernels], enum seen */
	bool lacking;				/* the kernel lacks data */
	const struct reason *reason;		/* of not measured */
};

#define RULE(function, ...) rule_function rule_##function;
#include "rules/engine/rules.def"

/* rule_value(x, key): the threshold in force; asserts that it exists. */
double rule_value(const struct rule_view *x, const char *key);

/*
 * rule_found(x, key): a new draft with everything that follows from the rule
 * and the kernel filled in, and a fix that changes nothing. ${key} tells the
 * findings of one rule about one run apart, the same in every run; NULL for a
 * kernel. Never NULL: without memory nobody hears of it, nor of any other. Valid
 * until the next rule_found. What the chapter says of code and of the next measurement
 * is its, unless the rule sets d->f.bad_code, d->f.good_code or d->f.next.
 */
struct draft *rule_found(struct rule_view *x, const char *key);

/* rule_drop(x, d): ${d}, the last that was found, is none after all. */
void rule_drop(struct rule_view *x, const struct draft *d);

/* Set the reason, return RULE_NOT_MEASURED; the second takes one that was given,
 * static or of the arena of a rule about the run. */
enum rule_state rule_unmeasured(struct rule_view *x, enum reason_code code);
enum rule_state rule_unmeasured_for(struct rule_view *x,
    const struct reason *reason);

/* rule_reason(x, code, fmt, …): a reason with a text of its own, in the arena;
 * the row of ${code} without memory. For findings and rules about the run. */
const struct reason *rule_reason(const struct rule_view *x,
    enum reason_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * rule_is_debug(x): the kernel's code was built with -G. What the compiler then
 * leaves undone is no fault of the kernel's: rules about it have nothing to say.
 */
bool rule_is_debug(const struct rule_view *x);

/*
 * rule_is_explained(x): did an earlier rule whose row has this one in .explains find
 * something in the view's kernel? Then this one has nothing to add.
 */
bool rule_is_explained(const struct rule_view *x);

/*
 * rule_said(x, id): did rule ${id}, which stands before this one in rules.def, find
 * something in the view's kernel? For what depends on more than that.
 */
bool rule_said(const struct rule_view *x, const char *id);

/* rule_kernel(x): the view's kernel, as the run has it. */
const struct kernel *rule_kernel(const struct rule_view *x);

/* rule_lacks(x): not measured for the kernel's own reason (permission …). */
enum rule_state rule_lacks(struct rule_view *x);

/*
 * rule_evidence(x, d, name, value, label, ...): append a value that the finding rests
 * on. What follows are fields of struct evidence_from: what it comes from, under the
 * way in which it is known; its unit; the threshold that it is compared with.
 */
struct evidence_from {
	/* A CUPTI metric or a record; one of the four. */
	const char *measured, *derived, *estimated, *attribute;
	const char *source, *from;	/* instead, where it depends which of them */
	const char *unit;	/* NULL: the one that the name ends in */
	const char *key;	/* of the rule's threshold; NULL: none */
};
#define rule_evidence(x, d, name, value, label, ...)			\
	rule_evidence_add(x, d, name, value, label,			\
	    (struct evidence_from){ __VA_ARGS__ })
void rule_evidence_add(const struct rule_view *x, struct draft *d,
    const char *name, double value, const char *label, struct evidence_from o);

/* A metric of the view's kernel; NaN if it is not a number ≥ 0. */
double rule_metric(const struct rule_view *x, enum metric_id id);

/* "limited by L2 (91 % busy)", "latency-bound: no unit saturated (busiest: DRAM,
 * 31 %)", or NULL without counters. */
const char *rule_limiter(const struct rule_view *x);

/* Set all three views: ${f} fully, and the shares of it that are believed in
 * the low and the middle view. */
void rule_fix(struct draft *d, const struct fix *f, double low, double mid);

/*
 * rule_settle(x, d): found, if the middle view of the fix saves at least
 * PAYS_LEAST of a launch; else what was seen does not matter to this kernel:
 * ${d}, the latest draft, is taken back, and the kernel is clean; or not
 * measured, if the fix relieves a resource of which the counter is missing.
 */
#define PAYS_LEAST 0.01
enum rule_state rule_settle(struct rule_view *x, struct draft *d);


/*
 * rule_is_blind(x): it is not known whether more warps would help: there are
 * no counters, or the tensor pipe was not counted and the kernel is built like
 * one that feeds it (many registers, much shared memory, few warps).
 */
bool rule_is_blind(const struct rule_view *x);

/* rule_blind(x, d): such a finding is worth little trust and no alarm. */
void rule_blind(const struct rule_view *x, struct draft *d);

/* The blocks of the view's kernel, and its threads a block. */
double rule_blocks(const struct kernel *k);
uint32_t rule_threads(const struct kernel *k);

/* The part of its GPU that one launch fills, 0..1: as one grid, launches that do not
 * need each other's results take that part of their time. */
double rule_part_of_gpu(const struct run *run, const struct kernel *k);

double rule_wall_s(const struct run *run);

/* rule_busy(x, r): how busy resource ${r} is over the kernel's time, 0..1; NaN.
 * rule_is_bound(x, r): is it what limits the kernel? */
double rule_busy(const struct rule_view *x, enum resource r);
bool rule_is_bound(const struct rule_view *x, enum resource r);

/* From the first to the last GPU work: the run without start-up and end; and that
 * without the time that the GPU idled because we measured, which is what a change
 * can be about. */
double rule_window_s(const struct run *run);
double rule_active_s(const struct run *run);

/* The whole run without that time: as long as it is when nobody measures it. */
double rule_own_s(const struct run *run);

/* rule_allocating_s(run, calls): seconds of calls that allocate or release in
 * the hot path (model/host.h); *${calls}, unless NULL: how many. */
double rule_allocating_s(const struct run *run, uint64_t *calls);
bool rule_allocates(enum wire_call call);

/*
 * rule_queued(run, idle_s, waits): what is saved where work is enqueued
 * ahead, and no longer after ${waits} waits of the host, behind which the GPU
 * idles for ${idle_s}. While the GPU has more work than that the host keeps ahead
 * of it, and all of it goes. The favourable view has the gaps too that an empty
 * queue makes in front of work.
 *
 * rule_turn(idle_s, waits): how much of that is the host's way from one wait to
 * the next launch, 0..1; the rest it computes, maybe with what it waited for.
 */
struct gain rule_queued(const struct run *run, double idle_s, uint64_t waits);
double rule_turn(double idle_s, uint64_t waits);

/* What the way from the end of the GPU's work to the host, and from the launch to the
 * GPU, takes: a wait behind each kernel of 0 to 50 us made a loop 5.5 to 8.8 us a
 * kernel longer, 7.3 in the median; H200, 2026-11-23. */
#define ROUND_TRIP_S 7.3e-6

/* From the end of a wait to the next launch, to wake a thread and to make a few calls:
 * in longer the host computes. */
#define TURN_S 50e-6

/*
 * rule_unwaited(run, idle_s, waits, copies, trip_s): what is saved where the host does
 * not wait at all, as it looks at results later or not: of the idle time around
 * ${waits} waits the way to the host and back, ${trip_s} each, goes; what the host does
 * besides, and the calls of the whole run without ${copies}, it does while the GPU
 * works, and both take as long as the longer one.
 */
double rule_unwaited(const struct run *run, double idle_s, uint64_t waits,
    uint64_t copies, double trip_s);

/* Share of the run's copy time that lengthened it. */
double rule_copy_exposure(const struct run *run);

/* rule_kernel_exposure(run): of the kernels' time. */
double rule_kernel_exposure(const struct run *run);

/* rule_fault_s(run): seconds of kernels in which pages of managed memory were
 * on their way or faults on them served; never more than the kernels took. */
double rule_fault_s(const struct run *run);

/*
 * rule_gpus(run, t): how the GPUs of a run share its work. Those that work for
 * less than USED_LEAST of the busiest one's time count as idle.
 */
#define USED_LEAST 0.05
struct gpus {
	size_t seen, used;	/* shown to the program; with work */
	double work_s;		/* kernels of the used ones together */
	double busy_s;		/* some GPU ran a kernel */
	double most_s;		/* the busiest one's kernels */
	double turns_s;		/* of busy_s, while the busiest one waited */
	double uneven_s;	/* of most_s, beyond an even share */
};
void rule_gpus(const struct run *run, struct gpus *t);

/*
 * noise.c: rank_noise_s(run) is what a saving must reach to be worth a change: a
 * share of rank_work_s, what the GPU's work took with the short gaps beside it, so
 * that a program hears what it can do however long its host starts up or checks
 * results; and what repeats of the same launches differ by anyway.
 */
#define NOISE_SHARE 0.005	/* of a time: below it nobody sees a saving */
double rank_work_s(const struct run *run);
double rank_noise_s(const struct run *run);

/*
 * rank.c: gains, severities and order. Severity is a share of the whole run.
 */
void rank_kernel(struct draft *d, double noise_s);
void rank_all(struct draft *d, size_t n, const struct run *run,
    struct advice *a);

#endif
