/*
 * eager-pointwise-chain: consecutive operators of a framework on arrays of one
 * size, each a kernel that reads what the previous one wrote. Compiled into one
 * kernel they would move the data once and be launched once.
 *
 * No counter shows that a kernel reads what the previous one wrote. That
 * operators are pointwise is taken from their names, that they follow each
 * other in every step from the sequence.
 */
#include <math.h>

#include "rules/evidence/place.h"
#include "rules/evidence/steps.h"

/* Two kernels count as the same size if one launches up to this many times the threads of the
 * other (vectors of 4 and of 1), or has up to this many times its elements: two that are put
 * together are twice as many, and what a thread takes is known within a factor of 1.5. */
#define SIZES 4

/* A reduction takes at most this many times what the kernel takes that writes what it reads.
 * It moves no more bytes than that one, but not always as fast (measured on an H200, PyTorch
 * 2.11: a norm over the first dimension, of 2, takes 1.3 ms, where its bytes need 0.73; the
 * concatenation that writes what it reads 1.05). */
#define REDUCTION_MOST 1.5
#define POINTWISE_LEAST 2	/* beside reductions: of one, its input remains to be read */

/* Time of the fused kernel, in times of the longest kernel of the chain. That
 * one reads at most two arrays and writes one; the fused kernel reads one or
 * two and writes one. */
static const double left_over[VIEWS] = { 1.5, 1, 0.67 };

struct chain {
	const struct sequence *s;
	size_t first, length;
	size_t reductions;		/* of these */
	double each_s, longest_s;	/* of one repeat: all kernels, the longest */
	bool optimizer;			/* unfused-optimizer reports it */
	bool conversion;		/* of two kernels: the first is not needed */
};

struct chains {
	struct chain most;		/* the chain with the most time */
	double count, launches, gone, kernel_s, idle_s;
};

/* The elements that a thread of PyTorch's pointwise kernels takes: vectorized ones 4 to 8, by
 * the bytes of an element (ATen/native/cuda/CUDALoops.cuh, PyTorch 2.11: 8 of float on an H200),
 * unrolled ones 4, others the second number of their names, "elementwise_kernel<128, 2, …".
 * Others' one. */
static double
elements_each(const struct kernel *k)
{
	static const char vectors[] = "vectorized_elementwise_kernel<",
	    unrolled[] = "unrolled_elementwise_kernel<", plain[] = "elementwise_kernel<128, ";
	const char *at;

	if (k->name == NULL)
		return 1;
	if (strstr(k->name, vectors) != NULL)
		return 6;
	if (strstr(k->name, unrolled) != NULL)
		return 4;
	at = strstr(k->name, plain);
	return at != NULL && at[sizeof(plain) - 1] >= '1' && at[sizeof(plain) - 1] <= '8' ?
	    at[sizeof(plain) - 1] - '0' : 1;
}

static double
threads_of(const struct kernel *k)
{
	return rule_blocks(k) * rule_threads(k);
}

static double
elements_of(const struct kernel *k)
{
	return threads_of(k) * elements_each(k);
}

static bool
is_size(double ratio)
{
	return ratio <= SIZES && ratio >= 1.0 / SIZES;
}

/* Does it put arrays together? Of a few, between pointwise operators, a compiler makes a
 * part of their kernel (Inductor's max_pointwise_cat_inputs is 8). Many, as a loader
 * stacks a batch, take several such kernels in a row, which nothing fuses. */
static bool
is_joint(const struct rule_view *x, const struct kernel *k)
{
	return steps_does(x, k, "concatenate");
}

static bool
has_name(const struct kernel *k, const char *part)
{
	return k->name != NULL && strstr(k->name, part) != NULL;
}

static bool
is_copy(const struct rule_view *x, const struct kernel *k)
{
	return steps_does(x, k, "copy");
}

/* Does a copy convert to another type, by PyTorch's names? */
static bool
is_cast(const struct kernel *k)
{
	return has_name(k, "LoadWithCast<") || has_name(k, "float16_copy_kernel");
}

/* Do two copies in a row do the same? What was just copied needs no such copy again: they
 * are of different arrays, such as the slices of one. One that converts may be followed by
 * one that converts back. */
static bool
copies_apart(const struct rule_view *x, const struct kernel *a, const struct kernel *b)
{
	return is_copy(x, a) && is_copy(x, b) && ((!is_cast(a) && !is_cast(b)) ||
	    (a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0));
}

/* Does a framework add up (or otherwise reduce) an array here? A compiler computes what
 * it reads in the kernel that reduces it. */
static bool
is_reduction(const struct rule_view *x, const struct kernel *k)
{
	const struct library *l = k != NULL ? steps_library(x, k) : NULL;

	return l != NULL && l->framework && strcmp(l->name, "Inductor") != 0 &&
	    library_does(l, "reduction");
}

/* The end of a chain so far. */
struct tail {
	const struct kernel *last;	/* NULL: no chain yet */
	const struct kernel *pointwise;	/* the last one that is */
};

/* Does the reduction ${k} read an array as large as what ${before} writes? Its threads do
 * not tell. It reads one array, and that one, as long as its operands are not spread out,
 * moves two or three. */
static bool
reads_as_much(const struct kernel *k, const struct kernel *before)
{
	double ratio = steps_mean_s(k) / steps_mean_s(before);

	return ratio >= 1.0 / SIZES && ratio <= REDUCTION_MOST;
}

/* Does ${k} continue the chain that ends in ${t}? */
static bool
goes_on(const struct rule_view *x, const struct tail *t, const struct kernel *k)
{
	bool pointwise = steps_pointwise(x, k);

	if (t->last == NULL)
		return pointwise;
	if (is_reduction(x, k))
		return !is_reduction(x, t->last) && reads_as_much(k, t->last);
	if (is_joint(x, k))
		return steps_pointwise(x, t->last);
	if (!pointwise || copies_apart(x, t->last, k))
		return false;
	/* What puts arrays together goes over them in strides: its threads do not tell. */
	if (is_joint(x, t->last))
		return true;
	return is_size(threads_of(k) / threads_of(t->pointwise)) ||
	    is_size(elements_of(k) / elements_of(t->pointwise));
}

static void
tail_add(const struct rule_view *x, struct tail *t, const struct kernel *k)
{
	t->last = k;
	if (steps_pointwise(x, k))
		t->pointwise = k;
}

/* Does ${k} copy an array to one of another type, and the next kernel of the chain read
 * arrays of several types? By PyTorch's names: an operator has LoadWithCast where its
 * arrays' types differ. */
static bool
is_conversion(const struct rule_view *x, const struct kernel *k,
    const struct kernel *next)
{
	return steps_does(x, k, "copy") && is_cast(k) &&
	    !steps_does(x, next, "copy") && has_name(next, "LoadWithCast<");
}

/* Are the last two kernels of the chain copies, or is it one copy? Behind them the next copy
 * has no operator beside it that computes. */
static bool
ends_in_copies(const struct rule_view *x, const struct chain *c)
{
	for (size_t i = 1; i <= 2 && i <= c->length; i++)
		if (!is_copy(x, steps_kernel(x, c->s, c->first + c->length - i)))
			return false;
	return c->length > 0;
}

/* The chain without its last kernel. */
static void
shorten(const struct rule_view *x, struct chain *c)
{
	c->length--;
	c->each_s -= steps_mean_s(steps_kernel(x, c->s, c->first + c->length));
}

/* The chain that begins at ${first}. */
static struct chain
chain_at(const struct rule_view *x, const struct sequence *s, size_t first,
    const bool *of_list)
{
	struct chain c = { .s = s, .first = first };
	struct tail t = { NULL, NULL };
	const struct kernel *k;

	for (; c.length < steps_length(s); c.length++) {
		k = steps_kernel(x, s, first + c.length);
		if (!goes_on(x, &t, k) || (is_copy(x, k) && ends_in_copies(x, &c)))
			break;
		c.each_s += steps_mean_s(k);
		c.longest_s = fmax(c.longest_s, steps_mean_s(k));
		c.optimizer |= steps_optimizer(x, k) > 0.5 ||
		    of_list[(first + c.length) % steps_length(s)];
		c.reductions += is_reduction(x, k);
		tail_add(x, &t, k);
	}
	if (t.last != NULL && is_joint(x, t.last))
		shorten(x, &c);
	if (c.length > 1 && ends_in_copies(x, &c))
		shorten(x, &c);
	c.conversion = c.length == 2 && is_conversion(x,
	    steps_kernel(x, s, first), steps_kernel(x, s, first + 1));
	return c;
}

static void
add_chain(const struct rule_view *x, const struct chain *c, struct chains *all,
    struct gone *gone)
{
	double repeats = (double)c->s->repeats;

	for (size_t i = 0; i < c->length; i++) {
		const struct kernel *k = steps_kernel(x, c->s, c->first + i);

		for (int v = 0; v < VIEWS; v++)
			gone[k - x->run->kernel].launches[v] += repeats *
			    fmax(0, 1 - left_over[v] * c->longest_s / c->each_s);
	}
	all->count++;
	all->launches += repeats * (double)c->length;
	all->gone += repeats * (double)(c->length - 1);
	all->kernel_s += repeats * c->each_s;
	all->idle_s += (double)c->s->idle_ns * 1e-9 *
	    (double)(c->length - 1) / (double)c->s->length;
	if (all->most.s == NULL || repeats * c->each_s >
	    (double)all->most.s->repeats * all->most.each_s)
		all->most = *c;
}

/* The sequence may start anywhere in a step: begin behind the end of a chain. */
static size_t
begin_of(const struct rule_view *x, const struct sequence *s)
{
	const struct kernel *before = steps_kernel(x, s, steps_length(s) - 1);
	struct tail t = { NULL, NULL };

	if (steps_pointwise(x, before))
		tail_add(x, &t, before);
	for (size_t i = 0; i < steps_length(s) && s->length <= SEQUENCE_MAX; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		if (!goes_on(x, &t, k))
			return i;
		tail_add(x, &t, k);
	}
	return 0;
}

static void
search(const struct rule_view *x, const struct sequence *s, void *all,
    struct gone *gone)
{
	size_t begin = begin_of(x, s), n = steps_length(s);
	bool of_list[SEQUENCE_MAX];

	steps_of_lists(x, s, of_list);
	for (size_t i = 0; i < n;) {
		struct chain c = chain_at(x, s, begin + i, of_list);

		if (i + c.length > n) {
			c.length = n - i;
			c.conversion = false;
		}
		if ((((double)c.length >= rule_value(x, "min_chain") &&
		    c.length - c.reductions >= POINTWISE_LEAST) ||
		    c.conversion) && !c.optimizer)
			add_chain(x, &c, all, gone);
		i += c.length > 0 ? c.length : 1;
	}
}

/* Arithmetic: no function beside it has as much. */
#define ONE 0.5

/* The functions that the chains lie in. One can be compiled by itself; in a package, none
 * can be edited: what the program calls is compiled as a whole. */
static void
tell_functions(const struct rule_view *x, struct draft *d, const struct chains *all,
    const struct gone *gone)
{
	struct spread s = place_spread(x, gone);
	const struct chain *c = &all->most;
	double mine = (double)c->s->repeats * c->each_s / all->kernel_s;

	if (s.functions >= 2 && s.most < ONE) {
		d->f.summary = arena_format(x->arena, "%s; they lie in %s functions: %s",
		    d->f.summary, say_count(x->arena, (uint64_t)s.functions), s.text);
		d->f.location = arena_format(x->arena, "%s, %s of the time of such "
		    "chains", d->f.location, say_percent(x->arena, fmin(1, mine)));
	}
	if (s.packages > ONE)
		d->variant = "module";
}

/* Do the launches of such short kernels take the time, rather than memory? */
static bool
by_launches(const struct rule_view *x, const struct chains *all)
{
	double launch = x->run->device[all->most.s->device].ceilings.launch_s;

	return launch > 0 &&
	    all->kernel_s < STEPS_SHORT_LAUNCHES * launch * all->launches;
}

static void
say_conversion(const struct rule_view *x, struct draft *d, const struct chains *all)
{
	const struct chain *c = &all->most;

	d->variant = "converted";
	d->f.summary = arena_format(x->arena, "a tensor is converted to another "
	    "type before an operator uses it that accepts both (%s, %s times%s): "
	    "the conversion is a pass over memory of its own",
	    say_seconds(x->arena, c->each_s), say_count(x->arena, c->s->repeats),
	    all->count > 1 ? ", and more such chains" : "");
	d->f.advice = "leave out the conversion (.float(), .to(dtype)): PyTorch's "
	    "operators convert what they read, and add in float; or keep both "
	    "tensors in one type, and accumulate in the gradient's type";
	d->f.gain_note = "the operator alone remains, about as long as the longer "
	    "of the two; holds if it works on what was converted";
	d->f.bad_code = "grad += (x.t() @ y).float()     # grad, x, y: bfloat16";
	d->f.good_code = "grad += x.t() @ y";
}

static enum rule_state
found(struct rule_view *x, const struct chains *all, const struct gone *gone)
{
	const struct chain *c = &all->most;
	struct draft *d = steps_found(x, "pointwise", gone,
	    steps_kernel(x, c->s, c->first));
	const char *each;

	if (d == NULL)
		return RULE_NOT_MEASURED;
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_LAUNCH) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API),
	    { 0.5 * all->idle_s, 0.9 * all->idle_s, all->idle_s } };
	d->claims = 1;
	steps_launch_less(x, d, all->gone);
	d->f.where = "pointwise operators";
	each = say_seconds(x->arena, c->each_s);
	d->f.location = arena_format(x->arena, "%s in a row, %s times",
	    say_counted(x->arena, (double)c->length, "operator"),
	    say_count(x->arena, c->s->repeats));
	/* A conversion counts with two. */
	rule_evidence(x, d, "chain", (double)c->length, c->conversion ?
	    "a conversion and the operator on its result, in a row" :
	    c->reductions > 0 ? "pointwise kernels and reductions in a row, of the "
	    "chain with the most time" :
	    "pointwise kernels in a row, of the chain with the most time",
	    .measured = "kernel records and names", .unit = "kernel",
	    .key = c->conversion ? NULL : "min_chain");
	rule_evidence(x, d, "launches", all->launches,
	    "launches in such chains", .measured = "kernel records",
	    .unit = "launch");
	rule_evidence(x, d, "kernel_s", all->kernel_s, "their time",
	    .measured = "kernel records", .key = "min_time");
	rule_evidence(x, d, "longest_s", c->longest_s,
	    "longest kernel of that chain", .measured = "kernel records");
	d->f.summary = arena_format(x->arena, "%zu pointwise kernels%s in a row "
	    "(%s), %s times%s: each reads and writes whole arrays", c->length,
	    c->reductions > 0 ? " and reductions" : "", each,
	    say_count(x->arena, c->s->repeats), all->count > 1 ?
	    ", and more such chains" : "");
	d->f.limiter = by_launches(x, all) ? "the launches: each kernel is about as "
	    "short as one takes" : "the same data goes through memory once per "
	    "operator";
	d->f.advice = "let the framework's compiler make one kernel of them";
	d->f.gain_note = "one kernel remains of each chain, about as long as its "
	    "longest; holds if each works on what the one before has written";
	d->f.bad_code = "y = 0.5 * x * (1 + torch.tanh(a * x))";
	d->f.good_code = "@torch.compile\ndef f(x):\n"
	    "    return 0.5 * x * (1 + torch.tanh(a * x))";
	if (c->conversion)
		say_conversion(x, d, all);
	else
		tell_functions(x, d, all, gone);
	return RULE_FOUND;
}

enum rule_state
rule_eager_pointwise_chain(struct rule_view *x)
{
	struct chains all = { .count = 0 };
	const struct gone *gone = steps_search(x, search, &all);

	if (gone == NULL)
		return RULE_NOT_MEASURED;
	if (all.count == 0 || all.kernel_s < rule_value(x, "min_time"))
		return RULE_CLEAN;
	return found(x, &all, gone);
}
