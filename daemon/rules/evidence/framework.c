/*
 * rules/evidence/framework.c: PyTorch, JAX and others, see framework.h.
 */
#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "base/embed.h"
#include "rules/evidence/framework.h"

#ifndef FRAMEWORKS_JSON
#error "FRAMEWORKS_JSON is the path of config/frameworks.json"
#endif

EMBED(cadv_frameworks, FRAMEWORKS_JSON);

/* From this share of a run's kernel time on, a framework's kernel names mean
 * that the program is the framework's: less is a library's helper among the
 * user's own kernels. */
#define MOST 0.5

/* From this share of a run's launches on, what makes them decides the words. Arithmetic:
 * without a quarter of the launches a quarter of the time between launches goes; a solver
 * that does nearly all has half of them or more on Python's stacks, since the engine of
 * the backward pass is a thread without Python. */
#define BY_MANY 0.25

/* Owns the strings, as in catalogue.c. */
static json_t *volatile root;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
load(void)
{
	root = json_loadb(cadv_frameworks,
	    (size_t)(cadv_frameworks_end - cadv_frameworks),
	    JSON_REJECT_DUPLICATES, NULL);
}

static const json_t *
all(void)
{
	pthread_once(&once, load);
	return json_object_get(root, "frameworks");
}

static bool
has_part(const json_t *framework, const char *text)
{
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(framework, "parts"), i, part)
		if (text != NULL && json_is_string(part) &&
		    strstr(text, json_string_value(part)) != NULL)
			return true;
	return false;
}

static const json_t *
by_frame(const struct site_frame *f)
{
	const json_t *framework;
	size_t i;

	json_array_foreach(all(), i, framework)
		if (has_part(framework, f->module) ||
		    has_part(framework, f->file))
			return framework;
	return NULL;
}

/* The framework of the innermost frame that belongs to one. */
static const json_t *
by_site(const struct site *s)
{
	const json_t *framework = NULL;

	for (size_t f = 0; f < s->frames && framework == NULL; f++)
		framework = by_frame(&s->frame[f]);
	return framework;
}

/* Is it one of the functions in ${framework}'s ${list}? A Python function's name is short,
 * a native one's has its class and parameters. */
static bool
is_listed(const json_t *framework, const char *list, const struct site_frame *f)
{
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(framework, list), i, name)
		if (f->function != NULL && json_is_string(name) &&
		    (f->python ? strcmp(f->function, json_string_value(name)) == 0 :
		    strstr(f->function, json_string_value(name)) != NULL))
			return true;
	return false;
}

/* Is a function of a framework's own, in its ${list}, on the stack of ${s}? */
static bool
in_functions(const char *list, const struct site *s)
{
	const json_t *framework;
	size_t i;

	for (size_t f = 0; f < s->frames; f++)
		json_array_foreach(all(), i, framework)
			if (is_listed(framework, list, &s->frame[f]) &&
			    by_frame(&s->frame[f]) == framework)
				return true;
	return false;
}

/* Is one of the names in a framework's ${list}, each of which is the framework's alone, part
 * of a function on the stack of ${s}? */
static bool
has_function(const char *list, const struct site *s)
{
	const json_t *framework, *name;
	size_t i, j;

	json_array_foreach(all(), i, framework)
		json_array_foreach(json_object_get(framework, list), j, name)
			for (size_t f = 0; f < s->frames; f++)
				if (s->frame[f].function != NULL &&
				    json_is_string(name) &&
				    strstr(s->frame[f].function,
				    json_string_value(name)) != NULL)
					return true;
	return false;
}

/* The functions on the stack of ${s} of which one of the names in a framework's ${list} is
 * part. */
static size_t
functions_of(const char *list, const struct site *s)
{
	struct site one = *s;
	size_t n = 0;

	for (size_t f = 0; f < s->frames; f++) {
		one.frame = &s->frame[f];
		one.frames = 1;
		n += has_function(list, &one);
	}
	return n;
}

static bool
has_text(const char *text, const json_t *part)
{
	return text != NULL && json_is_string(part) &&
	    strstr(text, json_string_value(part)) != NULL;
}

/* Is it in a file of one of the frameworks' ${list}? */
static bool
is_in_file(const char *list, const struct site_frame *f)
{
	const json_t *framework, *part;
	size_t i, j;

	json_array_foreach(all(), i, framework)
		json_array_foreach(json_object_get(framework, list), j, part)
			if (has_text(f->file, part))
				return true;
	return false;
}

bool
framework_differentiates(const struct site *s)
{
	return has_function("backward", s);
}

bool
framework_waits_for_backward(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (is_in_file("differentiating", &s->frame[f]) &&
		    s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, "backward") != NULL)
			return true;
	return false;
}

bool
framework_begins_backward(const struct site *s)
{
	return in_functions("beginning", s);
}

bool
framework_accumulates(const struct site *s)
{
	return has_function("accumulating", s) && has_function("adding", s);
}

bool
framework_sums(const struct site *s)
{
	return has_function("summing", s) && has_function("adding", s);
}

bool
framework_copies_back(const struct site *s)
{
	return has_function("copying_back", s);
}

bool
framework_copies_into(const struct site *s)
{
	return has_function("copying_into", s);
}

bool
framework_calls_back(const struct site *s)
{
	return has_function("callbacks", s);
}

bool
framework_loops(const struct site *s)
{
	return has_function("looping", s);
}

size_t
framework_loop_depth(const struct site *s)
{
	return functions_of("looping", s);
}

bool
framework_recurs(const struct site *s)
{
	return has_function("recurring", s);
}

bool
framework_recurs_back(const struct site *s)
{
	return has_function("recurring_back", s);
}

bool
framework_coalesces(const struct site *s)
{
	return has_function("coalescing", s);
}

bool
framework_multiplies_sparse(const struct site *s)
{
	return has_function("multiplying_sparse", s);
}

bool
framework_feeds(const struct site *s)
{
	return has_function("feeding", s);
}

bool
framework_tunes(const struct site *s)
{
	return in_functions("tuning", s);
}

bool
framework_compiles(const struct site *s)
{
	return in_functions("compiling", s) || framework_searches(s);
}

bool
framework_tunes_itself(const struct site *s)
{
	const json_t *framework;
	size_t i;

	for (size_t f = 0; f < s->frames; f++)
		json_array_foreach(all(), i, framework)
			if (is_listed(framework, "tuning", &s->frame[f]) &&
			    by_frame(&s->frame[f]) == framework)
				return json_object_get(framework, "compiler") == NULL &&
				    !framework_compiles(s);
	return false;
}

bool
framework_in_compiler(const struct site *s)
{
	return framework_compiles(s) || in_functions("compiler", s);
}

bool
framework_searches(const struct site *s)
{
	return in_functions("searching", s);
}

bool
framework_starts_workers(const struct site *s)
{
	return framework_loads(s) && in_functions("starting", s);
}

bool
framework_keeps(const struct site *s)
{
	return in_functions("keeping", s);
}

/* Is such a file on the stack of ${s}? */
static bool
in_files(const char *list, const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (is_in_file(list, &s->frame[f]))
			return true;
	return false;
}

bool
framework_pools(const struct site *s)
{
	const json_t *framework, *part;
	size_t i, j;

	json_array_foreach(all(), i, framework)
		json_array_foreach(json_object_get(framework, "pool"), j, part)
			for (size_t f = 0; f < s->frames; f++)
				if (has_text(s->frame[f].module, part) ||
				    has_text(s->frame[f].file, part) ||
				    has_text(s->frame[f].function, part))
					return true;
	return false;
}

bool
framework_loads(const struct site *s)
{
	return in_files("loading", s);
}

bool
framework_caches(const struct site *s)
{
	return in_files("caching", s);
}

bool
framework_calls_module(const struct site *s)
{
	return in_files("modules", s);
}

bool
framework_within(const struct site *s)
{
	bool own = false;

	for (size_t i = 0; i < s->frames; i++) {
		const struct site_frame *f = &s->frame[i];

		if (is_in_file("modules", f))
			return own;
		if (is_in_file("loading", f))
			return false;
		own |= site_own(f) && !site_installed(f);
	}
	return false;
}

bool
framework_collates(const struct site *s)
{
	return in_files("collating", s);
}

bool
framework_fetches(const struct site *s)
{
	return in_files("fetching", s);
}

bool
framework_moves(const struct site *s)
{
	return in_functions("moving", s);
}

double
framework_tuned(const struct run *run, uint64_t calls)
{
	double all = 0, tuned = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call >= 64 || !(calls >> s->call & 1))
			continue;
		all += (double)s->count;
		tuned += framework_tunes(s) ? (double)s->count : 0;
	}
	return all > 0 ? tuned / all : 0;
}

double
framework_launches(const struct run *run, uint32_t kernel)
{
	double all = 0, made = 0;
	size_t end, i = site_launches(run->site, run->sites, kernel, &end);

	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != kernel)
			continue;
		all += (double)s->count;
		made += framework_compiles(s) ? (double)s->count : 0;
	}
	return all > 0 ? made / all : 0;
}

static const json_t *
by_library(const struct library *l)
{
	const json_t *framework, *name;
	size_t i, j;

	json_array_foreach(all(), i, framework)
		json_array_foreach(json_object_get(framework, "libraries"), j,
		    name)
			if (l != NULL && l->name != NULL &&
			    json_is_string(name) &&
			    strcmp(json_string_value(name), l->name) == 0)
				return framework;
	return NULL;
}

#define FRAMEWORKS_MOST 64	/* that are counted; config/frameworks.json has 5 */

const json_t *
framework_of_run(const struct rule_view *x)
{
	const json_t *framework[FRAMEWORKS_MOST], *now = NULL, *most = NULL;
	double s[FRAMEWORKS_MOST] = { 0 }, all_s = 0, best = 0;
	const char *name = NULL;
	size_t n = 0, i;

	for (size_t k = 0; k < x->run->kernels; k++) {
		if (k == 0 || x->libraries[k].name != name) {
			name = x->libraries[k].name;
			now = by_library(&x->libraries[k]);
		}
		if (now == NULL)
			continue;
		for (i = 0; i < n && framework[i] != now; i++)
			continue;
		if (i == FRAMEWORKS_MOST)
			continue;
		n += i == n;
		framework[i] = now;
		s[i] += (double)x->run->kernel[k].total_ns;
		all_s += (double)x->run->kernel[k].total_ns;
	}
	for (i = 0; i < n; i++)
		if (s[i] > best) {
			best = s[i];
			most = framework[i];
		}
	return best > MOST * all_s ? most : NULL;
}

/* The framework of most of the launches whose stacks were taken; NULL: none. */
static const json_t *
by_launches(const struct run *run)
{
	const json_t *framework, *most = NULL;
	double best = 0;
	size_t i;

	json_array_foreach(all(), i, framework) {
		double n = 0;

		for (size_t k = 0; k < run->sites; k++)
			if (run->site[k].call == CALL_LAUNCH &&
			    by_site(&run->site[k]) == framework)
				n += (double)run->site[k].count;
		if (n > best) {
			best = n;
			most = framework;
		}
	}
	return most;
}

static const json_t *
find(const struct rule_view *x, const struct site *site,
    const struct library *l)
{
	const json_t *framework = NULL;

	if (site != NULL)
		framework = by_site(site);
	/* What the host does while the GPU waits need not be a framework's code. */
	if (framework == NULL && site != NULL && site->call == CALL_NONE)
		framework = by_launches(x->run);
	if (framework == NULL)
		framework = by_library(l);
	if (framework == NULL && l == NULL && site == NULL)
		framework = x->framework;
	return framework;
}

/* Is one of the names in ${list} part of a function or file on the stack of ${s}? */
static bool
has_frame(const json_t *list, const struct site *s)
{
	const json_t *name;
	size_t i;

	for (size_t f = 0; f < s->frames; f++)
		json_array_foreach(list, i, name) {
			const char *text = json_string_value(name);
			const struct site_frame *at = &s->frame[f];

			if (text != NULL && ((at->function != NULL &&
			    strstr(at->function, text) != NULL) ||
			    (at->file != NULL && strstr(at->file, text) != NULL)))
				return true;
		}
	return false;
}

/* The share of the run's launches with one of the names in ${list} on the stack: of each
 * kernel's as of those of its launches whose stack was taken. */
static double
launched_by(const struct run *run, const json_t *list)
{
	double all = 0, by = 0;

	for (size_t k = 0; k < run->kernels; k++) {
		const struct kernel *kernel = &run->kernel[k];
		double stacks = 0, with = 0;
		size_t end, i = site_launches(run->site, run->sites, kernel->id, &end);

		for (; i < end; i++) {
			const struct site *s = &run->site[i];

			if (s->call != CALL_LAUNCH || s->kernel != kernel->id)
				continue;
			stacks += (double)s->count;
			with += has_frame(list, s) ? (double)s->count : 0;
		}
		all += (double)kernel->launches;
		by += stacks > 0 ? with / stacks * (double)kernel->launches : 0;
	}
	return all > 0 ? by / all : 0;
}

/* The case within the case ${words} whose "frames" launch much of all; else ${words}. */
static const json_t *
within(const struct rule_view *x, const json_t *words)
{
	json_t *variants = json_object_get(words, "variants"), *v;
	const char *name;

	json_object_foreach(variants, name, v)
		if (launched_by(x->run, json_object_get(v, "frames")) >= BY_MANY)
			return v;
	return words;
}

/* The words for this case of the practice: the one that the rule asks for, or else one
 * whose "frames" are on the stack of the call. */
static const json_t *
variant_of(const struct rule_view *x, const json_t *words, const struct draft *d)
{
	json_t *variants = json_object_get(words, "variants"), *v;
	const char *name;

	if (d->variant != NULL)
		return within(x, json_object_get(variants, d->variant));
	if (d->f.site != NULL)
		json_object_foreach(variants, name, v)
			if (has_frame(json_object_get(v, "frames"), d->f.site))
				return v;
	return NULL;
}

/* Is it code of ${framework}'s, by one of the names in its "code"? */
static bool
is_code_of(const json_t *framework, const char *text)
{
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(framework, "code"), i, name)
		if (has_text(text, name))
			return true;
	return false;
}

/* Is the example of ${d} code of frameworks, but not of ${own}? A rule's own is for the one in
 * which most programs have its fault. NULL: the program is of none. */
static bool
is_foreign(const struct draft *d, const json_t *own)
{
	const json_t *framework;
	bool foreign = false;
	size_t i;

	json_array_foreach(all(), i, framework)
		if (is_code_of(framework, d->f.bad_code) ||
		    is_code_of(framework, d->f.good_code)) {
			if (framework == own)
				return false;
			foreign = true;
		}
	return foreign;
}

/* Leaves the example of ${d} out if it is of another framework than ${own}, or than that of
 * most of the run where the finding's is not known: none is better than one that does not
 * fit. Without any stack nothing speaks against it. */
static void
leave_foreign(const struct rule_view *x, struct draft *d, const json_t *own)
{
	if (own == NULL)
		own = x->framework;
	if ((own == NULL && x->run->sites == 0) || !is_foreign(d, own))
		return;
	d->f.bad_code = NULL;
	d->f.good_code = NULL;
}

bool
framework_trains(const struct run *run)
{
	for (size_t i = 0; i < run->sites; i++)
		if (framework_differentiates(&run->site[i]))
			return true;
	return false;
}

/* The advice ${text} of ${words}: if that is larger batches ("larger"), and the run trains, it is
 * another training, unless the rule's own begin says how it stays the same. */
static const char *
say_larger(const struct rule_view *x, const struct draft *d, const json_t *words,
    const char *text)
{
	if (d->lead != NULL || !json_is_true(json_object_get(words, "larger")) ||
	    !framework_trains(x->run))
		return text;
	return arena_format(x->arena, "%s; larger batches change the training: adapt the learning "
	    "rate to them, and check the accuracy", text);
}

/* The words within ${words} for a program without a model, if the finding is of one. */
static const json_t *
without_model(const json_t *words, const struct draft *d)
{
	const json_t *own = d->function != NULL ? json_object_get(words, "function") : NULL;

	return own != NULL ? own : words;
}

/* The advice ${text} with the function to compile in place of "{function}". */
static const char *
name_function(const struct rule_view *x, const struct draft *d, const char *text)
{
	static const char name[] = "{function}";
	const char *at = d->function != NULL ? strstr(text, name) : NULL;

	return at == NULL ? text : arena_format(x->arena, "%.*s%s%s", (int)(at - text), text,
	    d->function, at + strlen(name));
}

void
framework_words(const struct rule_view *x, struct draft *d)
{
	const struct library *l = d->f.kernel != NULL ? x->library : NULL;
	const json_t *framework, *words, *variant;
	const char *text;

	/* A user's kernel whose launch site is unknown is most likely CUDA C++. */
	if (d->f.kernel != NULL && d->f.site == NULL && l == NULL)
		return;
	framework = find(x, d->f.site, l);
	leave_foreign(x, d, framework);
	words = json_object_get(json_object_get(framework, "words"),
	    d->rule->id);
	if ((variant = variant_of(x, words, d)) != NULL)
		words = variant;
	words = without_model(words, d);
	if ((text = json_string_value(json_object_get(words, "advice"))) != NULL)
		d->f.advice = say_larger(x, d, words, name_function(x, d, text));
	if ((text = json_string_value(json_object_get(words, "bad"))) != NULL)
		d->f.bad_code = text;
	if ((text = json_string_value(json_object_get(words, "good"))) != NULL)
		d->f.good_code = text;
}
