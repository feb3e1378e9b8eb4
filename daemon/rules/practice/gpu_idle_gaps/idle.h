/*
 * rules/practice/gpu_idle_gaps/idle.h: what the files of the practice gpu-idle-gaps share.
 * gpu_idle_gaps.c, beside this folder, asks for the cause of the gaps that come again, in an
 * order that it has as a table, and reports it; here is each cause: its questions, what of its
 * time goes, and its words.
 *
 *   loader.c    the loader of a framework makes batches late
 *   input.c     the program makes its input late itself
 *   own.c       a function of the program's own takes the time
 *   launches.c  an interpreter takes it, from launch to launch
 *   rounds.c, silence.c, shapes.c, jax.c, detour.c, made.c   findings of their own: work between
 *               rounds, work behind the GPU's last, plans for ever new sizes, what JAX runs one
 *               by one or calls back for, tensors of the model's graph on the CPU, what the model
 *               makes there besides
 *   others.c    what of the gaps other practices report, or nothing can mend
 *   claim.c     what the change recovers
 *   place.c     where it is to be made
 *   common.c    what the names of causes and the kinds of calls mean
 *
 * Pure, as all rules.
 */
#ifndef CADV_PRACTICE_IDLE_H
#define CADV_PRACTICE_IDLE_H

#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/little.h"
#include "rules/evidence/looks.h"

/* The gaps of a run for which a cause is asked. */
struct idle_gaps {
	struct again a;		/* those that come again, without what others.c takes out */
	double idle;		/* the seconds of these */
	double late;		/* the seconds in which the next launch was on its way, not in
				 * longer gaps */
	double launching;	/* the same, if an interpreter launches; else 0 */
	bool python;		/* does one? */
	bool brief;		/* and is most of it what it takes from launch to launch? */
	bool input;		/* is most of it in front of copies to the GPU? */
	struct little little;	/* of the variant of that name: its question sets it */
};

#define AWAY_TOLD 0.25	/* of several lines that copy input, the one in front of which the
			 * GPU waits longest is the place if it has so much: of labels and
			 * masks that are copied behind it, the others have little */
#define LOOKED_TOLD 0.5	/* the line in which the host is for so much of it: arithmetic, most */
#define WITHIN_TOLD 0.25	/* so is the line within whose calls so much lies: what
				 * backward passes launch has no line, half or more of it */

/* A function of the program's own has so much of the longer gaps: arithmetic, a third. */
#define OWN_TOLD 0.33

/* Of the host's work that is longer than the GPU's, nothing can hide behind it. The share
 * believed to go where the host may do less, see idle_goes: in Python the worker
 * processes of a loader share it: four leave a quarter, eight left 0.02 of it
 * (DataLoader, H200, 2026-11-23); half, as it may contain other work than a loader's. */
#define BEYOND 0.2
#define BEYOND_PYTHON 0.5

#define IDLE_COPIES (CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC))
#define IDLE_WAITS (CALL_BIT(DEVICE_SYNC) | CALL_BIT(STREAM_SYNC) | CALL_BIT(EVENT_SYNC))

/* --- common.c: what names and calls mean --------------------------------- */

/* What the variants of the finding are about. */
enum idle_kind {
	IDLE_LOADING = 1,	/* a loader's batches, or other processes' that the program
				 * has to prepare its input */
	IDLE_INPUT = 2,		/* input that comes late, other than a loader's */
	IDLE_MADE = 4,		/* of it: the program itself makes it late, within its model or
				 * between copies */
	IDLE_OWN = 8,		/* the work of a function of the program's own */
	IDLE_LAUNCHING = 16	/* what an interpreter takes from launch to launch */
};

/* idle_is(d, variant): is it the variant of ${d}? idle_is_of(variant, kinds): is ${variant} of
 * one of these enum idle_kind? NULL, the general one, is not. */
bool idle_is(const struct draft *d, const char *variant);
bool idle_is_of(const char *variant, unsigned kinds);

/* Is the site a copy to the GPU, or to the host, as far as the driver's function says so; a
 * copy within the GPU that Python calls for; a call for which a line of Python calls? */
bool idle_to_gpu(const struct site *s);
bool idle_to_host(const struct site *s);
bool idle_moves(const struct site *s);
bool idle_from_python(const struct site *s);

/* idle_site_after(x, output, n): the line whose ${n} calls precede gaps: copies to the
 * host if ${output}, else waits. NULL: none. */
const struct site *idle_site_after(const struct rule_view *x, bool output, double n);

/* idle_looks(x): which looks count, those in the gaps that come again. */
struct looks_of idle_looks(const struct rule_view *x);

/* idle_busy_s(run): the seconds in which the GPU works. A kernel that waits for managed pages
 * waits for the host: no host work hides behind it. */
double idle_busy_s(const struct run *run);

/* idle_weigh(g): sets the sums of ${g} by its gaps, and what most of it is. */
void idle_weigh(struct idle_gaps *g);

/* idle_take_input(g, s): takes ${s} seconds in front of copies to the GPU out of the gaps ${g}:
 * a finding of its own has them. */
void idle_take_input(struct idle_gaps *g, double s);

/* --- others.c: what is left to other practices ------------------------------- */

/* idle_leave(x, a): takes out of the gaps ${a} what no change to the loop makes shorter, as
 * compilers try out variants, and what other practices report. Returns the seconds of late
 * launches (struct idle_gaps) that are left. */
double idle_leave(const struct rule_view *x, struct again *a);

/* idle_unsteady(x, a): why nothing is said about the gaps ${a} of a run that mostly tried out
 * algorithms. */
const struct reason *idle_unsteady(const struct rule_view *x, const struct again *a);

/* --- loader.c ------------------------------------------------------------------ */

/* idle_add_loading(x, a): adds to the gaps ${a} what the loader is waited for in longer ones:
 * too few of them are alike, as where a worker makes a whole batch, or an epoch has few. */
void idle_add_loading(const struct rule_view *x, struct again *a);

/* The questions of "loader" (all idle_by_… ask of the gaps ${g}, where those before them in the
 * table of gpu_idle_gaps.c were answered by no): is the program's Python in one for most of
 * the time; and, unless it is in none, are a loader's copies what comes late? */
bool idle_by_loader(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_loaded(const struct rule_view *x, struct idle_gaps *g);

/* What goes of ${g} by the cause of ${d}; the GPU works for ${busy} seconds. */
struct gain idle_loader_gain(const struct rule_view *x, const struct draft *d,
    const struct idle_gaps *g, double busy);

/* Sets the place of ${d}: the line for which a loader copies. */
void idle_loader_place(const struct rule_view *x, struct draft *d, const struct idle_gaps *g);

/* idle_copy_workers(run, to): the processes that the program had to prepare its input, and
 * the processors, at the site with the most. */
void idle_copy_workers(const struct run *run, struct site *to);

/* idle_say_workers(x, d): says of late input how many processes prepare it already, where that
 * is known: then it is these that are too slow, and the variant says so. */
void idle_say_workers(struct rule_view *x, struct draft *d);

/* idle_find_waited(x, a): a loader whose processes work all the time and that the loop waits for,
 * though other things take most of the gaps ${a}: a finding of its own, as its change and its
 * place are known, and nothing else makes the loop faster. */
void idle_find_waited(struct rule_view *x, const struct again *a);

/* idle_find_collating(x, a): batches that a loader stacks from tensors on the GPU, element by
 * element: a finding of its own, as its change and its place are known. */
void idle_find_collating(struct rule_view *x, const struct again *a);

/* idle_find_fetching(x, g): what a loader without processes makes in the loop, where it is not
 * the cause of the gaps ${g}: a finding of its own. Leaves the others in ${g}. */
bool idle_find_fetching(struct rule_view *x, struct idle_gaps *g);

/* --- input.c ------------------------------------------------------------------- */

/* The questions of "within", "convert", "kept", "between" and "input": does a model make it
 * within its calls; does the loop, between the copies of a batch; is most of it on the GPU
 * already; does it come after copies to the host; any of it. */
bool idle_by_within(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_convert(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_kept(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_between(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_input(const struct rule_view *x, struct idle_gaps *g);

/* What goes of ${g}; ${hidden} is what hides behind the GPU's work. */
struct gain idle_input_gain(const struct rule_view *x, const struct draft *d,
    const struct idle_gaps *g, struct gain hidden);

/* Sets the place of ${d}: the line that copies it. */
void idle_input_place(const struct rule_view *x, struct draft *d, const struct idle_gaps *g);

/* What the time of late input that the program makes itself is taken from. */
void idle_say_made(struct rule_view *x, struct draft *d, const struct again *a);

/* --- own.c --------------------------------------------------------------------- */

/* idle_own_work(x, share): the function of the program's own with most of the longer gaps,
 * *${share} of them; NULL: none with OWN_TOLD. */
const struct site *idle_own_work(const struct rule_view *x, double *share);

/* The questions of "own", and of "calls": its work is that of calls of jitted functions. */
bool idle_by_own(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_calls(const struct rule_view *x, struct idle_gaps *g);

/* --- launches.c ---------------------------------------------------------------- */

/* The questions of "little", "busy", "rows", "elements", "closure", "launches" and "varied":
 * is the work too little for the GPU; is the GPU busy but beside waits and copies; is it done
 * by single rows; does the function that launches read values from the GPU one by one, as
 * .item() in a loop does; does an optimizer evaluate the loss again; do launches repeat, as a
 * graph can; or do they not. */
bool idle_by_little(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_busy(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_rows(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_elements(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_closure(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_launches(const struct rule_view *x, struct idle_gaps *g);
bool idle_by_varied(const struct rule_view *x, struct idle_gaps *g);

/* What goes of ${g}; ${hidden} is what hides behind the GPU's work. */
struct gain idle_launches_gain(const struct draft *d, const struct idle_gaps *g,
    struct gain hidden);

/* idle_in_sequences(run, s): do sequences that repeat have at least half of the ${s} seconds
 * in which an interpreter launches? Then they are the findings, and this is what they leave. */
bool idle_in_sequences(const struct run *run, double s);

/* idle_launch_limiter(run, d, all): what limits an interpreter's launches of ${d} that are late
 * for ${all} seconds. */
const char *idle_launch_limiter(const struct run *run, const struct draft *d, double all);

/* The words of "little"; and what gradients that are added up over several batches say of the
 * launches of each: ${all} seconds, ${sync} of them after waits. */
void idle_say_little(const struct rule_view *x, struct draft *d, const struct little *l);
void idle_say_accumulated(const struct rule_view *x, struct draft *d, double all, double sync);

/* idle_say_unit(x, d): says of "varied" launches whether what they repeat fits a graph, as far
 * as that was seen. */
void idle_say_unit(const struct rule_view *x, struct draft *d);

/* idle_say_counters(x, d): an optimizer that reads its step counters keeps the host from running
 * ahead: that first, where nothing else comes first. */
void idle_say_counters(const struct rule_view *x, struct draft *d);

/* --- findings of their own: most return whether there is one ---------------------- */

/* rounds.c: long gaps that come again at one line, between rounds of the GPU's work: they
 * are few, and their place is known. */
bool idle_find_rounds(struct rule_view *x);

/* silence.c: what the host does behind the GPU's last work, until a signal ends the run. */
bool idle_find_silence(struct rule_view *x);

/* shapes.c: convolutions and products of ever new sizes, of the gaps ${a}: that work goes, and
 * need not hide behind the GPU's. */
bool idle_find_shapes(struct rule_view *x, const struct again *a);

/* jax.c: JAX's functions that the loop calls outside of jit, of the gaps of ${idle} seconds:
 * what Python does there goes, and need not hide behind the GPU's work. */
bool idle_find_outside(struct rule_view *x, const struct again *a, double idle);

/* jax.c: functions on the host that a program on the GPU calls, and waits for: their work
 * goes, and need not hide behind the GPU's. */
void idle_find_callbacks(struct rule_view *x, const struct again *a);

/* jax.c: a compiled loop whose turns the host launches, of the gaps ${g}: it is no work of
 * Python's. Leaves the others in ${g}. */
bool idle_find_looped(struct rule_view *x, struct idle_gaps *g);

/* detour.c: a tensor of the model's graph that the CPU holds, of the gaps ${a}: its change and
 * its place are known. */
bool idle_find_detour(struct rule_view *x, const struct again *a);

/* made.c: what the model makes on the CPU, of the gaps ${g}, where that is not their cause: the
 * line that does, and what becomes of results there. Leaves the other gaps in ${g}. */
bool idle_find_made(struct rule_view *x, struct idle_gaps *g);

/* --- claim.c, place.c ------------------------------------------------------------ */

/* idle_goes(x, g): can the host's work in the gaps go, or be done by several, rather than
 * only be done while the GPU works? */
bool idle_goes(const struct rule_view *x, const struct idle_gaps *g);

/* Sets the claim of ${d} on idle time. */
void idle_claim(const struct rule_view *x, struct draft *d, const struct idle_gaps *g);

/* idle_launching_function(x): the function of the program's own that launches while the GPU
 * waits, backward passes left aside, with OWN_TOLD of it at least; NULL. In the arena. */
const struct site *idle_launching_function(const struct rule_view *x);

/* Sets the place of ${d}. Returns what is in front of the gaps, for the summary; "". */
const char *idle_place(const struct rule_view *x, struct draft *d, const struct idle_gaps *g);

#endif
