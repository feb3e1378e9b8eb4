/*
 * launch-failures: a launch failed because it asked for more than the GPU or
 * its function allows. Which limit it broke follows from its shape and from the
 * function's attributes that the driver reports.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/lines.h"

#define FINDINGS 8
#define NOT_READY 600	/* cudaErrorNotReady: the answer to a query, not a failure */

/* CUresult: an earlier kernel broke the context, or it is being destroyed. */
#define STICKY_FIRST 700
#define STICKY_LAST 719
#define OUT_OF_RESOURCES 701
#define COOPERATIVE_TOO_LARGE 720

#define BLOCK_Z 64		/* threads; the same for every compute capability */
#define GRID_X 2147483647u
#define GRID_YZ 65535u

enum limit {
	LIMIT_ZERO, LIMIT_THREADS, LIMIT_BLOCK_Z, LIMIT_GRID, LIMIT_REGISTERS,
	LIMIT_BOUNDS, LIMIT_SHARED, LIMIT_SHARED_LEAVE, LIMIT_COOPERATIVE,
	LIMIT_EARLIER, LIMIT_OTHER, LIMIT_COUNT
};

static const struct {
	const char *key, *what, *label, *unit, *advice;
} row[LIMIT_COUNT] = {
	[LIMIT_ZERO] = { "empty", "a dimension of 0",
	    "smallest dimension of grid and block", "",
	    "skip the launch where there is nothing to do: a grid of "
	    "(n + block - 1) / block is 0 for n = 0" },
	[LIMIT_THREADS] = { "threads", "too many threads in a block",
	    "threads a block", "thread",
	    "launch smaller blocks, and more of them" },
	[LIMIT_BLOCK_Z] = { "block-z", "a block too deep in z",
	    "threads of a block in z", "thread",
	    "let x be the long dimension of the block" },
	[LIMIT_GRID] = { "grid", "a grid too long in one dimension",
	    "blocks in that dimension", "block",
	    "let x be the long dimension of the grid (2^31 - 1 blocks; y and z "
	    "take 65,535), or let each thread loop over several elements" },
	[LIMIT_REGISTERS] = { "registers", "more registers than there are",
	    "registers a thread × threads a block", "register",
	    "launch smaller blocks, or say the block size to the compiler: "
	    "__launch_bounds__(threads) makes it use as few registers as that "
	    "needs" },
	[LIMIT_BOUNDS] = { "launch-bounds", "more threads than the kernel was "
	    "built for", "threads a block", "thread",
	    "launch no larger blocks than its __launch_bounds__ says, or raise "
	    "that" },
	[LIMIT_SHARED] = { "shared", "more shared memory than a block can have",
	    "shared memory a block", "B",
	    "use smaller tiles, or share the work among the blocks of a "
	    "cluster" },
	[LIMIT_SHARED_LEAVE] = { "shared-opt-in", "more dynamic shared memory "
	    "than the kernel was allowed", "dynamic shared memory", "B",
	    "call cudaFuncSetAttribute(kernel, "
	    "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) once before "
	    "the launch" },
	[LIMIT_COOPERATIVE] = { "cooperative", "a cooperative grid that cannot "
	    "be resident at once", "blocks", "block",
	    "ask cudaOccupancyMaxActiveBlocksPerMultiprocessor for the largest "
	    "grid, and let each block loop over the rest" },
	[LIMIT_EARLIER] = { "earlier", "an error of an earlier kernel",
	    "failed launches", "launch",
	    "find the kernel that failed first: every call after it fails too; "
	    "compute-sanitizer names the line" },
	[LIMIT_OTHER] = { "other", "no limit that its shape shows",
	    "failed launches", "launch",
	    "look the error up where it is returned" },
};

struct broken {
	enum limit limit;
	double asked, most;	/* asked for, limit; most NaN: no limit */
};

static double
threads_of(const struct failure *f)
{
	return (double)f->block[0] * f->block[1] * f->block[2];
}

static bool
is_zero(const struct failure *f)
{
	for (int i = 0; i < 3; i++)
		if (f->grid[i] == 0 || f->block[i] == 0)
			return true;
	return false;
}

/* Is a limit of the shape broken? */
static bool
breaks_shape(const struct failure *f, const struct record_DEVICE *d,
    struct broken *b)
{
	double most = d != NULL && d->max_threads_per_block > 0 ?
	    d->max_threads_per_block : 1024;

	if (is_zero(f))
		*b = (struct broken){ LIMIT_ZERO, 0, 1 };
	else if (threads_of(f) > most)
		*b = (struct broken){ LIMIT_THREADS, threads_of(f), most };
	else if (f->block[2] > BLOCK_Z)
		*b = (struct broken){ LIMIT_BLOCK_Z, f->block[2], BLOCK_Z };
	else if (f->grid[0] > GRID_X)
		*b = (struct broken){ LIMIT_GRID, f->grid[0], GRID_X };
	else if (f->grid[1] > GRID_YZ || f->grid[2] > GRID_YZ)
		*b = (struct broken){ LIMIT_GRID, f->grid[1] > f->grid[2] ?
		    f->grid[1] : f->grid[2], GRID_YZ };
	else
		return false;
	return true;
}

/* Is a limit of the function on this GPU broken? */
static bool
breaks_function(const struct failure *f, const struct record_DEVICE *d,
    struct broken *b)
{
	double threads = threads_of(f), registers = threads * f->regs;
	double shared = (double)f->smem_static + f->smem_dynamic;

	if (!(f->flags & FAILURE_FUNCTION))
		return false;
	if (f->threads_max > 0 && threads > f->threads_max)
		*b = d != NULL && d->regs_per_block > 0 &&
		    registers > d->regs_per_block ?
		    (struct broken){ LIMIT_REGISTERS, registers,
		    d->regs_per_block } :
		    (struct broken){ LIMIT_BOUNDS, threads, f->threads_max };
	else if (d != NULL && d->smem_per_block_optin > 0 &&
	    shared > d->smem_per_block_optin)
		*b = (struct broken){ LIMIT_SHARED, shared,
		    d->smem_per_block_optin };
	else if (f->smem_dynamic > f->smem_dynamic_max)
		*b = (struct broken){ LIMIT_SHARED_LEAVE, f->smem_dynamic,
		    f->smem_dynamic_max };
	else
		return false;
	return true;
}

static struct broken
broken_by(const struct run *run, const struct failure *f)
{
	const struct record_DEVICE *d = f->device < run->devices ?
	    &run->device[f->device].limits : NULL;
	struct broken b = { LIMIT_OTHER, (double)f->count, NAN };

	if (f->result >= STICKY_FIRST && f->result <= STICKY_LAST &&
	    f->result != OUT_OF_RESOURCES) {
		b.limit = LIMIT_EARLIER;
		return b;
	}
	if (breaks_shape(f, d, &b) || breaks_function(f, d, &b))
		return b;
	if (f->result == COOPERATIVE_TOO_LARGE)
		return (struct broken){ LIMIT_COOPERATIVE, (double)f->grid[0] *
		    f->grid[1] * f->grid[2], NAN };
	return b;
}

static const char *
name_of(const struct failure *f)
{
	return f->name != NULL && *f->name ? f->name :
	    f->kernel != NULL && *f->kernel ? f->kernel : "a kernel";
}

static const char *
shape_of(struct rule_view *x, const struct failure *f)
{
	return arena_format(x->arena, "%s, %s of dynamic shared memory",
	    say_launch(x->arena, f->grid, f->block),
	    say_bytes(x->arena, f->smem_dynamic));
}

/* Reports ${count} failures like ${f}; of ${unread} the program did not check
 * the error. */
static void
found(struct rule_view *x, const struct failure *f, uint64_t count,
    uint64_t unread)
{
	struct broken b = broken_by(x->run, f);
	const char *error = f->error != NULL && *f->error ? f->error :
	    arena_format(x->arena, "error %u", f->result);
	const char *limit = row[b.limit].what;
	struct draft *d = rule_found(x, arena_format(x->arena, "%s %s",
	    name_of(f), row[b.limit].key));

	/* Where the program checked the error, it may have tried on purpose. */
	d->cap = unread > 0 ? SEV_HIGH : SEV_LOW;
	d->f.confidence = b.limit < LIMIT_EARLIER ? CONF_HIGH : CONF_MEDIUM;
	d->f.where = name_of(f);
	d->f.location = shape_of(x, f);
	d->f.location_missing = &reason_row[REASON_LINE_NO_KERNEL];
	rule_evidence(x, d, "failed_launches", (double)count,
	    "launches that failed", .measured = "failure records",
	    .unit = "launch", .key = "min_count");
	rule_evidence(x, d, "unread_errors", (double)unread,
	    "of them, errors that nobody read", .measured = "failure records",
	    .unit = "error");
	if (b.limit < LIMIT_EARLIER)
		rule_evidence(x, d, "asked", b.asked, row[b.limit].label,
		    .measured = "parameters of the launch",
		    .unit = row[b.limit].unit);
	if (b.limit < LIMIT_EARLIER && b.most == b.most)
		rule_evidence(x, d, "allowed", b.most, "allowed",
		    .attribute = b.limit < LIMIT_REGISTERS ? "device attributes"
		    : "device and function attributes",
		    .unit = row[b.limit].unit);
	rule_evidence(x, d, "result", f->result, error,
	    .measured = "failure records", .unit = "");
	d->f.summary = b.limit < LIMIT_EARLIER && b.most == b.most ?
	    arena_format(x->arena, "%s launch%s of %s failed for %s: %s where "
	    "%s is allowed", say_count(x->arena, count), count == 1 ? "" : "es",
	    name_of(f), limit, say_whole(x->arena, b.asked),
	    say_whole(x->arena, b.most)) :
	    arena_format(x->arena, "%s launch%s of %s failed (%s): %s",
	    say_count(x->arena, count), count == 1 ? "" : "es", name_of(f),
	    error, limit);
	d->f.limiter = arena_format(x->arena, "the launch asks for %s", limit);
	if (b.limit >= LIMIT_EARLIER)
		d->f.limiter = NULL;
	d->f.advice = row[b.limit].advice;
	d->f.gain_note = unread > 0 ? "correctness issue; no saving "
	    "estimated: the kernel never ran" : "the program handled the "
	    "error; saving unknown";
}

static bool
is_failed_launch(const struct failure *f)
{
	return f->launch && (f->flags & FAILURE_LAUNCH) && f->count > 0 &&
	    f->result != 0 && f->result != NOT_READY;
}

/* Do ${a} and ${b} have the same kernel, result and broken limit, whatever the
 * shape? */
static bool
is_same(const struct run *run, const struct failure *a,
    const struct failure *b)
{
	return is_failed_launch(b) && a->result == b->result &&
	    a->device == b->device && strcmp(name_of(a), name_of(b)) == 0 &&
	    broken_by(run, a).limit == broken_by(run, b).limit;
}

enum rule_state
rule_launch_failures(struct rule_view *x)
{
	const struct run *run = x->run;
	bool shapeless = false;
	size_t n = 0;

	for (size_t i = 0; i < run->failures && n < FINDINGS; i++) {
		const struct failure *f = &run->failure[i];
		uint64_t count = 0, unread = 0;
		bool before = false;

		if (!is_failed_launch(f)) {
			shapeless = shapeless || (f->launch && f->count > 0 &&
			    f->result != NOT_READY);
			continue;
		}
		for (size_t k = 0; k < run->failures && !before; k++) {
			if (!is_same(run, f, &run->failure[k]))
				continue;
			before = k < i;
			count += run->failure[k].count;
			unread += run->failure[k].unread;
		}
		if (before || (double)count < rule_value(x, "min_count"))
			continue;
		found(x, f, count, unread);
		n++;
	}
	if (n > 0)
		return RULE_FOUND;
	return shapeless ? rule_unmeasured(x, REASON_OLD_LAUNCHES) :
	    RULE_CLEAN;
}
