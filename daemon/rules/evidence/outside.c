/*
 * rules/evidence/outside.c: see outside.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/looks.h"
#include "rules/evidence/outside.h"

/* Of that time so much is spent where an operator is carried out, rather than traced: half of
 * what was seen where losses with second derivatives were called outside of jit (0.45 by the
 * largest groups of looks; PI-DeepONet, JAX 0.11, H200, 2026-11-30). What jit traces is not
 * carried out. */
#define CARRIED_LEAST 0.2

#define FUNCTION 0.5	/* of that time, in one function; arithmetic: most */
#define LOOP 0.8	/* of all time; arithmetic: a fifth at least is around a function that a
			 * loop calls beside a step, or nothing of it is left to jit */

static bool
in_file(const struct site_frame *f, const char *part)
{
	return f->python && f->file != NULL && strstr(f->file, part) != NULL;
}

/* Is it one of ${n} functions of JAX's own? */
static bool
is_function(const struct site_frame *f, const char *const *name, size_t n)
{
	for (size_t i = 0; f->function != NULL && in_file(f, "/jax/_src/") && i < n; i++)
		if (strcmp(f->function, name[i]) == 0)
			return true;
	return false;
}

/* Does the program's own line call a function of arrays of JAX's, as jnp.sum(x), x[i] or x + y?
 * Where it calls what it has jitted itself there is no such frame. */
static bool
calls_operator(const struct site *s)
{
	static const char *const of[] = { "/jax/_src/numpy/", "/jax/_src/lax/",
	    "/jax/_src/random.py", "/jax/_src/nn/" }, *const get[] = { "__getitem__" };
	size_t f = gaps_own_frame(s);

	while (f > 0 && f < s->frames && in_file(&s->frame[f - 1], "/jax/_src/traceback_util.py"))
		f--;
	if (f == 0 || f >= s->frames)
		return false;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (in_file(&s->frame[f - 1], of[i]))
			return true;
	return is_function(&s->frame[f - 1], get, 1);
}

bool
outside_is(const struct site *s)
{
	static const char *const traces[] = { "_infer_params", "_infer_params_internal",
	    "_trace_for_jit", "_create_pjit_jaxpr" }, *const applies[] = { "apply_primitive" };
	bool is = calls_operator(s);

	for (size_t f = 0; f < s->frames; f++) {
		const struct site_frame *at = &s->frame[f];

		if (in_file(at, "/jax/_src/lax/control_flow/") ||
		    is_function(at, traces, sizeof(traces) / sizeof(traces[0])))
			return false;
		is |= in_file(at, "/jax/_src/interpreters/batching.py") ||
		    in_file(at, "/jax/_src/interpreters/ad.py") || is_function(at, applies, 1);
	}
	return is;
}

/* In front of launches, not in the compiler? */
static bool
is_launching(const struct site *s)
{
	return outside_is(s) && !framework_in_compiler(s);
}

static bool
is_no_compiler(const struct site *s)
{
	return !framework_in_compiler(s);
}

/* Is an operator carried out there, or a function of JAX's own that is jitted? */
static bool
is_carried(const struct site *s)
{
	static const char *const by[] = { "apply_primitive", "_pjit_call_impl" };

	for (size_t f = 0; f < s->frames; f++)
		if (is_function(&s->frame[f], by, sizeof(by) / sizeof(by[0])))
			return is_launching(s);
	return false;
}

/* The program's own function that is in it; NULL. */
static const struct site_frame *
own_of(const struct site *s)
{
	size_t f = gaps_own_frame(s);

	return f < s->frames && s->frame[f].file != NULL && s->frame[f].function != NULL ?
	    &s->frame[f] : NULL;
}

static bool
same(const struct site_frame *a, const struct site_frame *b)
{
	return strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0;
}

/* The program's functions in the looks of ${of}, each once; malloced, *${n} of them. */
static const struct site_frame **
functions_of(const struct run *run, struct looks_of of, size_t *n)
{
	const struct site_frame **own = calloc(run->looks + 1, sizeof(const void *)), *f;

	*n = 0;
	for (size_t i = 0; own != NULL && i < run->looks; i++) {
		size_t k = 0;

		if (!looks_counts(run, &run->look[i], of) ||
		    (f = own_of(run->look[i].site)) == NULL)
			continue;
		while (k < *n && !same(own[k], f))
			k++;
		own[k] = f;
		*n = k == *n ? k + 1 : *n;
	}
	return own;
}

/* The compiler's time for operators of the functions in the looks of ${of}: what a program
 * makes once, in front of its loop, is not theirs. */
static double
compile_s(const struct run *run, struct looks_of of)
{
	const struct site_frame **own, *f;
	double s = 0;
	size_t n;

	own = functions_of(run, of, &n);
	for (size_t i = 0; own != NULL && i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (l->site == NULL || !outside_is(l->site) ||
		    !framework_in_compiler(l->site) || (f = own_of(l->site)) == NULL)
			continue;
		for (size_t k = 0; k < n; k++)
			if (same(own[k], f)) {
				s += l->s;
				break;
			}
	}
	free(own);
	return s;
}

/* Is the function of ${own} on the stack of ${s}? */
static bool
is_in(const struct site *s, const struct site_frame *own)
{
	for (size_t f = 0; s != NULL && f < s->frames; f++)
		if (s->frame[f].file != NULL && s->frame[f].function != NULL &&
		    same(&s->frame[f], own))
			return true;
	return false;
}

/* Is the program in the function of ${own} nearly all the time from the first to the last look
 * of ${of}? Then it has the loop, which is not to be jitted as a whole. */
static bool
has_loop(const struct run *run, struct looks_of of, const struct site_frame *own)
{
	size_t from = run->looks, to = 0;
	double all = 0, in = 0;

	for (size_t i = 0; i < run->looks; i++)
		if (looks_counts(run, &run->look[i], of)) {
			from = from < i ? from : i;
			to = i + 1;
		}
	for (size_t i = from; i < to; i++) {
		all += run->look[i].s;
		in += is_in(run->look[i].site, own) ? run->look[i].s : 0;
	}
	return in > LOOP * all;
}

/* The function that calls most of the ${of}, and is called in a loop; NULL. */
static const struct site *
function_of(const struct rule_view *x, struct looks_of of)
{
	double part = 0;
	const struct site *at = looks_function(x->arena, x->run, of, &part);
	const struct site_frame *own;

	if (at == NULL || part < FUNCTION || (own = own_of(at)) == NULL || own->line == 0 ||
	    strchr(own->function, '<') != NULL || has_loop(x->run, of, own))
		return NULL;
	return at;
}

struct outside
outside_of(const struct rule_view *x, double least)
{
	struct looks_of of = { .least = least, .is = is_launching }, all = of, carried = of;
	struct outside o = { .looks = 0 };
	double s, within = 0, looks = 0;

	all.is = is_no_compiler;
	carried.is = is_carried;
	s = looks_s(x->run, of);
	for (size_t i = 0; i < x->run->looks; i++)
		looks += looks_counts(x->run, &x->run->look[i], of);
	if (looks < LOOKS_TELL || !(s > 0) || looks_s(x->run, carried) < CARRIED_LEAST * s)
		return o;
	if ((o.site = looks_place(x->arena, x->run, of, 0, &within)) == NULL)
		return o;
	o.looks = looks;
	o.share = s / looks_s(x->run, all);
	o.compile_s = compile_s(x->run, of);
	o.within = fmin(1, within / s);
	o.function = function_of(x, of);
	return o;
}
