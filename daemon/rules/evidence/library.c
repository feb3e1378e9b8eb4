/*
 * rules/evidence/library.c: kernels that come in binaries, see library.h.
 */
#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "model/model.h"

#include "base/embed.h"
#include "rules/evidence/library.h"

#ifndef LIBRARIES_JSON
#error "LIBRARIES_JSON is the path of config/libraries.json"
#endif

EMBED(cadv_libraries, LIBRARIES_JSON);

#define FAMILIES_MAX 64
#define FACTS_MAX 64
#define PARTS_MAX 24

struct family {
	const char *name, *kind;
	const char *module[PARTS_MAX];	/* parts of shared objects' names */
	const char *kernel[PARTS_MAX];	/* and of kernels', without the
					 * arguments of template or function */
};

/* What a part of the name of a kernel of a ${kind} of library tells. */
struct fact {
	const char *kind, *name, *precision;
	bool tensor;
};

static struct family family[FAMILIES_MAX];
static struct fact fact[FACTS_MAX];
static size_t families, facts;
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
load(void)
{
	const json_t *item;
	size_t i;

	root = json_loadb(cadv_libraries,
	    (size_t)(cadv_libraries_end - cadv_libraries),
	    JSON_REJECT_DUPLICATES, NULL);
	json_array_foreach(json_object_get(root, "libraries"), i, item) {
		struct family *f = &family[families];

		if (families == FAMILIES_MAX)
			break;
		f->name = json_string_value(json_object_get(item, "name"));
		f->kind = json_string_value(json_object_get(item, "kind"));
		read_parts(f->module, json_object_get(item, "modules"));
		read_parts(f->kernel, json_object_get(item, "kernels"));
		families += f->name != NULL && f->kind != NULL;
	}
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
}

/* The innermost native frame that belongs to a module says who launches. */
static const char *
launcher(const struct run *run, const struct kernel *k)
{
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
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
	}
	return NULL;
}

/* One of ${part} within the first ${len} bytes of ${text}? */
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

static const struct family *
by_name(const char *name)
{
	for (size_t i = 0; name != NULL && i < families; i++)
		if (has_part(name, strcspn(name, "<("), family[i].kernel))
			return &family[i];
	return NULL;
}

/* What its whole name tells, but its arguments. */
static void
read_facts(struct library *l, const struct family *f, const char *name)
{
	size_t len = name != NULL ? strcspn(name, "(") : 0;

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

bool
library_of(struct library *l, const struct run *run, const struct kernel *k)
{
	const char *name = k->name != NULL ? k->name : k->mangled;
	const struct family *f, *named;

	pthread_once(&once, load);
	f = by_module(launcher(run, k));
	named = by_name(name);
	/* A framework has many libraries' kernels in it. */
	if (named != NULL && (f == NULL || strcmp(f->kind, "framework") == 0))
		f = named;
	if (f == NULL)
		return false;
	*l = (struct library){ .name = f->name };
	read_facts(l, f, name);
	return true;
}

bool
library_owns(const struct run *run, const struct kernel *k)
{
	struct library l;

	return library_of(&l, run, k);
}

bool
library_launched_by(const struct run *run, const struct kernel *k,
    const char *part)
{
	for (size_t i = 0; i < run->sites; i++) {
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
