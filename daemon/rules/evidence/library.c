/*
 * rules/evidence/library.c: kernels of libraries that come as binaries, see library.h.
 */
#include <ctype.h>
#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "model/model.h"

#include "base/embed.h"
#include "facts/core.h"
#include "rules/evidence/library.h"

#ifndef LIBRARIES_JSON
#error "LIBRARIES_JSON is the path of config/libraries.json"
#endif

EMBED(cadv_libraries, LIBRARIES_JSON);

#define FAMILIES_MAX 64
#define FACTS_MAX 64
#define PARTS_MAX 24
#define OPERATIONS_MAX 32
#define FIRSTS_MAX 16

struct family {
	const char *name, *kind, *batched, *columns;
	const char *module[PARTS_MAX];	/* parts of its shared objects' names */
	const char *kernel[PARTS_MAX];	/* parts of its kernels' names, without
					 * template and function arguments */
	const char *type[PARTS_MAX];	/* parts of the names of types in these */
	const char *caller[PARTS_MAX];	/* parts of the names of kernels that
					 * only call a function for each element */
	const char *transform[PARTS_MAX];	/* parts of the names of those that
					 * store its result at the same index */
	const char *taker[PARTS_MAX];	/* parts of the names of those that read
					 * values in order */
	const char *permuted[PARTS_MAX];	/* parts of iterators that go to
					 * others */
	const char *spectral[PARTS_MAX];	/* of a library that decomposes
					 * matrices: parts of the names of kernels
					 * for singular values and eigenvalues */
};

/* What a part of a kernel's name tells, in libraries of a ${kind}. */
struct fact {
	const char *kind, *name, *precision;
	bool tensor;
};

/* What libraries' kernels do, by parts of their names: the first match counts. */
struct operation_name {
	const char *name;
	const char *part[PARTS_MAX];
};

/* Operators that work on images with the channels first, by their kernels: one for each
 * call of the operator. Kernels that others have, too, are its by a function on the stack. */
struct first_name {
	const char *name;
	const char *part[PARTS_MAX], *function[PARTS_MAX];
	struct shaped shaped;
};

static struct family family[FAMILIES_MAX];
static struct fact fact[FACTS_MAX];
static struct operation_name operation[OPERATIONS_MAX];
static struct first_name channels_first[FIRSTS_MAX];
/* Operators that a framework does without its library, by their functions; and the kernels
 * that only they need. */
static struct first_name unrolled[FIRSTS_MAX];
/* Operators whose shape decides how many blocks they have. */
static struct first_name by_shape[FIRSTS_MAX];
static size_t families, facts, operations, firsts, unrolls, by_shapes;
/* Owns the strings, as in catalogue.c. */
static json_t *volatile root;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
read_parts(const char *part[PARTS_MAX], const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (i < PARTS_MAX - 1)
			part[i] = json_string_value(item);
}

static void
load_families(void)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(root, "libraries"), i, item) {
		struct family *f = &family[families];

		if (families == FAMILIES_MAX)
			break;
		f->name = json_string_value(json_object_get(item, "name"));
		f->kind = json_string_value(json_object_get(item, "kind"));
		f->batched = json_string_value(json_object_get(item,
		    "batched"));
		f->columns = json_string_value(json_object_get(item,
		    "columns"));
		read_parts(f->module, json_object_get(item, "modules"));
		read_parts(f->kernel, json_object_get(item, "kernels"));
		read_parts(f->type, json_object_get(item, "types"));
		read_parts(f->caller, json_object_get(item, "callers"));
		read_parts(f->transform, json_object_get(item, "transforms"));
		read_parts(f->taker, json_object_get(item, "takers"));
		read_parts(f->permuted, json_object_get(item, "permuted"));
		read_parts(f->spectral, json_object_get(item, "spectral"));
		families += f->name != NULL && f->kind != NULL;
	}
}

static void
load_facts(void)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(root, "facts"), i, item) {
		struct fact *f = &fact[facts];

		if (facts == FACTS_MAX)
			break;
		f->kind = json_string_value(json_object_get(item, "kind"));
		f->name = json_string_value(json_object_get(item, "name"));
		f->precision = json_string_value(json_object_get(item,
		    "precision"));
		f->tensor = json_is_true(json_object_get(item, "tensor"));
		facts += f->kind != NULL && f->name != NULL &&
		    f->precision != NULL;
	}
	json_array_foreach(json_object_get(root, "operations"), i, item) {
		struct operation_name *o = &operation[operations];

		if (operations == OPERATIONS_MAX)
			break;
		o->name = json_string_value(json_object_get(item, "operation"));
		read_parts(o->part, json_object_get(item, "parts"));
		operations += o->name != NULL;
	}
}

/* Reads the operators in ${list} into ${f}; returns how many. */
static size_t
load_firsts(const char *list, struct first_name f[FIRSTS_MAX])
{
	const json_t *item;
	size_t i, n = 0;

	json_array_foreach(json_object_get(root, list), i, item) {
		if (n == FIRSTS_MAX)
			break;
		f[n].name = json_string_value(json_object_get(item, "operator"));
		read_parts(f[n].part, json_object_get(item, "parts"));
		read_parts(f[n].function, json_object_get(item, "functions"));
		f[n].shaped = (struct shaped){ f[n].name,
		    json_string_value(json_object_get(item, "blocks")),
		    json_string_value(json_object_get(item, "words")) };
		n += f[n].name != NULL;
	}
	return n;
}

static void
load(void)
{
	root = json_loadb(cadv_libraries,
	    (size_t)(cadv_libraries_end - cadv_libraries),
	    JSON_REJECT_DUPLICATES, NULL);
	load_families();
	load_facts();
	firsts = load_firsts("channels_first", channels_first);
	unrolls = load_firsts("unrolled", unrolled);
	by_shapes = load_firsts("shaped", by_shape);
}

/* The module of the innermost native frame that is not CUDA's own. */
static const char *
caller_at(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++) {
		const char *m = s->frame[f].module;

		if (m == NULL || s->frame[f].python ||
		    strstr(m, "libcudart") != NULL ||
		    strstr(m, "libcuda.so") != NULL ||
		    strstr(m, "libcudadvise") != NULL ||
		    strstr(m, "libcupti") != NULL)
			continue;
		return m;
	}
	return NULL;
}

static const char *
launcher(const struct run *run, const struct kernel *k)
{
	size_t end, i = site_launches(run->site, run->sites, k->id, &end);

	for (; i < end; i++) {
		const struct site *s = &run->site[i];
		const char *m = s->call == CALL_LAUNCH && s->kernel == k->id ?
		    caller_at(s) : NULL;

		if (m != NULL)
			return m;
	}
	return NULL;
}

/* Is one of ${part} within the first ${len} bytes of ${text}? */
static bool
has_part(const char *text, size_t len, const char *const part[PARTS_MAX])
{
	for (size_t i = 0; i < PARTS_MAX && part[i] != NULL; i++) {
		const char *at = strstr(text, part[i]);

		if (at != NULL && (size_t)(at - text) < len)
			return true;
	}
	return false;
}

static const struct family *
by_module(const char *module)
{
	for (size_t i = 0; module != NULL && i < families; i++)
		if (has_part(module, strlen(module), family[i].module))
			return &family[i];
	return NULL;
}

/* The length of a function's name up to its arguments; "(anonymous namespace)"
 * is part of it. */
static size_t
path_length(const char *name)
{
	static const char nameless[] = "(anonymous";
	size_t n = strcspn(name, "<(");

	while (strncmp(name + n, nameless, sizeof(nameless) - 1) == 0) {
		n += strcspn(name + n, ")");
		n += strcspn(name + n, "<(");
	}
	return n;
}

static const struct family *
by_name(const char *name)
{
	size_t path = name != NULL ? path_length(name) : 0;

	for (size_t i = 0; name != NULL && i < families; i++)
		if (has_part(name, path, family[i].kernel) ||
		    has_part(name, strlen(name), family[i].type))
			return &family[i];
	return NULL;
}

/* Is the word of ${len} bytes a type of C++ or of CUDA's core libraries? */
static bool
is_known_word(const char *word, size_t len)
{
	static const char *const begin[] = { CORE_SPACES, "std::", "__nv_",
	    "__half", "nv_bfloat" };
	static const char *const whole[] = { "void", "bool", "char", "signed",
	    "unsigned", "short", "int", "long", "float", "double", "const",
	    "true", "false", "lambda" };

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (strncmp(word, begin[i], strlen(begin[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (len == strlen(whole[i]) && strncmp(word, whole[i], len) == 0)
			return true;
	return false;
}

/* Does ${name} contain a function object of the template's caller? What follows
 * "::" belongs to the word before, a lambda to its function. */
static bool
has_own_type(const char *name)
{
	size_t len;

	for (; *name != '\0'; name += len > 0 ? len : 1) {
		for (len = 0; isalnum((unsigned char)name[len]) ||
		    name[len] == '_' || name[len] == ':'; len++)
			continue;
		if ((isalpha((unsigned char)name[0]) || name[0] == '_') &&
		    !is_known_word(name, len))
			return true;
	}
	return false;
}

/* Is the kernel a loop over all elements that calls the user's function: named
 * as family ${f}'s, with no library as the ${launcher}? */
static bool
is_callers(const struct family *f, const struct family *launcher,
    const char *name)
{
	return launcher == NULL && name != NULL &&
	    has_part(name, strlen(name), f->caller) && has_own_type(name);
}

/* The family of a template that the program has instantiated itself, of arrays in order;
 * NULL. */
static const struct family *
own_family(const struct run *run, const struct kernel *k, const char *name)
{
	const struct family *f;

	pthread_once(&once, load);
	f = by_name(name);
	return f != NULL && by_module(launcher(run, k)) == NULL &&
	    !has_part(name, strlen(name), f->permuted) ? f : NULL;
}

/* A Python function's name is short, a native one's has its class and parameters. */
static bool
has_function(const struct site *s, const char *const function[PARTS_MAX])
{
	for (size_t f = 0; f < s->frames; f++)
		for (size_t i = 0; s->frame[f].function != NULL && i < PARTS_MAX &&
		    function[i] != NULL; i++)
			if (s->frame[f].python ?
			    strcmp(s->frame[f].function, function[i]) == 0 :
			    strstr(s->frame[f].function, function[i]) != NULL)
				return true;
	return false;
}

/* Are most launches of ${k} below one of these functions, as far as that is known? */
static bool
is_below(const struct run *run, const struct kernel *k,
    const char *const function[PARTS_MAX])
{
	size_t end, i = site_launches(run->site, run->sites, k->id, &end);
	uint64_t all = 0, mine = 0;

	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		all += s->count;
		mine += has_function(s, function) ? s->count : 0;
	}
	return mine > all / 2;
}

/* The one of the ${n} operators in ${f} that ${k} is part of; NULL: none. */
static const struct first_name *
operator_in(const struct first_name *f, size_t n, const struct run *run, const struct kernel *k)
{
	const char *name = k->name != NULL ? k->name : k->mangled;

	for (size_t i = 0; name != NULL && i < n; i++)
		if (has_part(name, strlen(name), f[i].part) && (f[i].function[0] == NULL ||
		    is_below(run, k, f[i].function)))
			return &f[i];
	return NULL;
}

const char *
library_channels_first(const struct run *run, const struct kernel *k)
{
	const struct first_name *f;

	pthread_once(&once, load);
	f = operator_in(channels_first, firsts, run, k);
	return f != NULL ? f->name : NULL;
}

const struct shaped *
library_shaped(const struct run *run, const struct kernel *k)
{
	const struct first_name *f;

	pthread_once(&once, load);
	f = operator_in(by_shape, by_shapes, run, k);
	return f != NULL ? &f->shaped : NULL;
}

enum library_unrolled
library_unrolled(const struct run *run, const struct kernel *k)
{
	const char *name = k->name != NULL ? k->name : k->mangled;

	pthread_once(&once, load);
	for (size_t i = 0; name != NULL && i < unrolls; i++)
		if (is_below(run, k, unrolled[i].function))
			return has_part(name, strlen(name), unrolled[i].part) ?
			    UNROLLED_COPY : UNROLLED_OTHER;
	return UNROLLED_NOT;
}

bool
library_transforms(const struct run *run, const struct kernel *k)
{
	const char *name = k->name != NULL ? k->name : k->mangled;
	const struct family *f = own_family(run, k, name);

	return f != NULL && has_part(name, strlen(name), f->transform);
}

bool
library_takes(const struct run *run, const struct kernel *k)
{
	const char *name = k->name != NULL ? k->name : k->mangled;
	const struct family *f = own_family(run, k, name);

	return f != NULL && has_part(name, strlen(name), f->taker);
}

/* Template arguments count, too: PyTorch's elementwise kernels are one template. */
static const char *
operation_of(const char *name)
{
	for (size_t i = 0; name != NULL && i < operations; i++)
		if (has_part(name, strlen(name), operation[i].part))
			return operation[i].name;
	return NULL;
}

/* The length of a function's name with its template arguments, among which casts are:
 * "f<2u, (mode)1, double>(int)". */
static size_t
template_length(const char *name)
{
	size_t n = path_length(name);
	int depth = 0;

	for (; name[n] != '\0' && (depth > 0 || name[n] != '('); n++)
		depth += (name[n] == '<') - (name[n] == '>');
	return n;
}

/* Reads the facts that the name without its function arguments tells. */
static void
read_facts(struct library *l, const struct family *f, const char *name)
{
	size_t len = name != NULL ? template_length(name) : 0;

	for (size_t i = 0; i < facts && len > 0; i++) {
		const char *at = strstr(name, fact[i].name);

		if (strcmp(fact[i].kind, f->kind) != 0 || at == NULL ||
		    (size_t)(at - name) >= len)
			continue;
		l->precision = fact[i].precision;
		l->tensor = fact[i].tensor;
		return;
	}
}

/* Reads whether a library that decomposes matrices is on the stack ${s}, and what its function
 * there tells. It calls others: products. */
static void
read_solver(struct library *l, const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		for (size_t i = 0; s->frame[f].module != NULL && i < families; i++) {
			const struct site_frame *at = &s->frame[f];

			if (family[i].spectral[0] == NULL || !has_part(at->module,
			    strlen(at->module), family[i].module))
				continue;
			l->solver = true;
			l->spectral |= at->function != NULL && has_part(at->function,
			    strlen(at->function), family[i].spectral);
		}
}

/* The same of the launches of ${k}, which is of family ${f} and has that name. */
static void
read_solvers(struct library *l, const struct run *run, const struct kernel *k,
    const struct family *f, const char *name)
{
	size_t end, i = site_launches(run->site, run->sites, k->id, &end);

	l->solver = f->spectral[0] != NULL;
	l->spectral = l->solver && name != NULL && has_part(name, strlen(name), f->spectral);
	for (; i < end; i++)
		if (run->site[i].call == CALL_LAUNCH && run->site[i].kernel == k->id)
			read_solver(l, &run->site[i]);
}

bool
library_of(struct library *l, const struct run *run, const struct kernel *k)
{
	const char *name = k->name != NULL ? k->name : k->mangled;
	const struct family *f, *named, *from;

	pthread_once(&once, load);
	f = from = by_module(launcher(run, k));
	named = by_name(name);
	/* A framework contains kernels of many libraries. */
	if (named != NULL && (f == NULL || strcmp(f->kind, "framework") == 0))
		f = named;
	if (f == NULL || is_callers(f, from, name))
		return false;
	*l = (struct library){ .name = f->name, .operation = operation_of(name),
	    .batched = f->batched, .columns = f->columns,
	    .framework = strcmp(f->kind, "framework") == 0 };
	read_facts(l, f, name);
	read_solvers(l, run, k, f, name);
	return true;
}

bool
library_does(const struct library *l, const char *what)
{
	return l != NULL && l->operation != NULL &&
	    strcmp(l->operation, what) == 0;
}

const char *
library_calling(const struct site *s)
{
	const struct family *f;

	pthread_once(&once, load);
	f = s != NULL ? by_module(caller_at(s)) : NULL;
	return f != NULL && strcmp(f->kind, "framework") != 0 ? f->name : NULL;
}

bool
library_owns(const struct run *run, const struct kernel *k)
{
	struct library l;

	return library_of(&l, run, k);
}

#define FILLS 0.75

bool
library_fills(const struct run *run, const struct kernel *k)
{
	return k->device < run->devices && (double)k->shape.grid_x *
	    k->shape.grid_y * k->shape.grid_z >=
	    FILLS * run->device[k->device].limits.sms;
}

bool
library_launched_by(const struct run *run, const struct kernel *k,
    const char *part)
{
	size_t end, i = site_launches(run->site, run->sites, k->id, &end);

	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		for (size_t f = 0; f < s->frames; f++)
			if ((s->frame[f].module != NULL &&
			    strstr(s->frame[f].module, part) != NULL) ||
			    (s->frame[f].file != NULL &&
			    strstr(s->frame[f].file, part) != NULL))
				return true;
	}
	return false;
}
