/*
 * source/listing.c: see listing.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "source/cubin.h"
#include "source/listing.h"

#define MAX_PC (1u << 30)

static void *
grow(void *array, size_t *cap, size_t count, size_t size)
{
	size_t n = *cap == 0 ? 64 : 2 * *cap;
	void *p;

	if (count < *cap)
		return array;
	if ((p = realloc(array, n * size)) != NULL)
		*cap = n;
	return p;
}

struct building {
	struct listing *l;
	size_t instruction_cap, function_cap;
};

static struct listed *
instruction_add(struct building *b, uint32_t pc)
{
	struct listing *l = b->l;
	struct listed_function *f;
	struct listed *i = grow(l->instruction, &b->instruction_cap,
	    l->instructions, sizeof(*i));

	if (i == NULL)
		return NULL;
	l->instruction = i;
	i = &l->instruction[l->instructions++];
	memset(i, 0, sizeof(*i));
	i->predicate = i->operands = "";
	i->pc = pc;
	if (l->functions > 0) {
		f = &l->function[l->functions - 1];
		if (f->count++ == 0)
			f->pc = pc;
	}
	return i;
}

static int
function_add(struct building *b, const char *name)
{
	struct listing *l = b->l;
	struct listed_function *f = grow(l->function, &b->function_cap,
	    l->functions, sizeof(*f));

	if (f == NULL)
		return -1;
	l->function = f;
	f = &l->function[l->functions++];
	f->name = name;
	f->pc = 0;
	f->first = l->instructions;
	f->count = 0;
	return 0;
}

void
listing_free(struct listing *l)
{

	free(l->instruction);
	free(l->function);
	free(l->text);
	json_decref(l->json);
	memset(l, 0, sizeof(*l));
}

/* --- JSON ------------------------------------------------------------------ */

static const char *
string_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s == NULL ? "" : s;
}

static int
json_function(struct building *b, const json_t *o)
{
	const json_t *list = json_object_get(o, "sass-instructions"), *one;
	json_int_t pc = json_integer_value(json_object_get(o, "start"));
	struct listed *in;
	size_t i, n = json_array_size(list);

	if (*string_of(o, "function-name") == '\0' || pc < 0 ||
	    pc > MAX_PC - (json_int_t)(n * CUBIN_STEP))
		return 0;
	if (function_add(b, string_of(o, "function-name")) != 0)
		return -1;
	for (i = 0; i < n; i++) {
		one = json_array_get(list, i);
		in = instruction_add(b, (uint32_t)pc + (uint32_t)i * CUBIN_STEP);
		if (in == NULL)
			return -1;
		in->predicate = string_of(one, "predicate");
		in->opcode = string_of(one, "opcode");
		in->operands = string_of(one, "operands");
		in->flow = json_object_get(json_object_get(one,
		    "other-attributes"), "control-flow") != NULL;
	}
	return 0;
}

/* An array of two: the file, and the functions. */
int
listing_json(struct listing *l, const char *text, size_t len)
{
	struct building b = { .l = l };
	const json_t *list;
	size_t i, j;

	memset(l, 0, sizeof(*l));
	if (len > LISTING_BYTES)
		return -1;
	l->json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_array(l->json))
		goto fail;
	for (i = 0; i < json_array_size(l->json); i++) {
		list = json_array_get(l->json, i);
		for (j = 0; j < json_array_size(list); j++)
			if (json_function(&b, json_array_get(list, j)) != 0)
				goto fail;
	}
	if (l->functions > 0)
		return 0;
fail:
	listing_free(l);
	return -1;
}

/* --- text ------------------------------------------------------------------ */

/* ".L_x_1:": a label, with the pc of the next instruction. */
struct label {
	const char *name;
	uint32_t pc;
	size_t order;
};

struct labels {
	struct label *label;
	size_t count, cap;
	size_t unplaced;	/* first label without a pc */
};

COMPARE(by_name, struct label,
    strcmp(x->name, y->name) ?: ORDER(x->order, y->order))

static const struct label *
label_find(const struct labels *s, const char *name)
{
	size_t low = FIRST_NOT(mid, 0, s->count,
	    strcmp(s->label[mid].name, name) < 0);

	return low < s->count && strcmp(s->label[low].name, name) == 0 ?
	    &s->label[low] : NULL;
}

/* Cut the blanks of ${s} at both ends. */
static char *
trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n > 0 && strchr(" \t\r;", s[n - 1]) != NULL)
		s[--n] = '\0';
	return s;
}

/* Without blanks, as -json prints operands. */
static void
squeeze(char *s)
{
	char *from = s, *to = s;

	for (; *s != '\0'; s++) {
		if (*s == ' ' || *s == '\t')
			continue;
		/* "R6 `(name)" */
		if (*s == '`' && s > from && to > from && to[-1] != ',' &&
		    (s[-1] == ' ' || s[-1] == '\t'))
			*to++ = ',';
		*to++ = *s;
	}
	*to = '\0';
}

/* "/+0190+/   @P0 BRA `(.L_x_1) ;" with stars for pluses. */
static int
text_instruction(struct building *b, struct labels *labels, char *s)
{
	char *end, *p;
	unsigned long pc = strtoul(s + 2, &end, 16);
	struct listed *in;

	if (end == s + 2 || strncmp(end, "*/", 2) != 0 || pc > MAX_PC)
		return 0;
	p = end + 2;
	p[strcspn(p, ";")] = '\0';
	p = trim(p);
	if (*p == '\0')
		return 0;
	if ((in = instruction_add(b, (uint32_t)pc)) == NULL)
		return -1;
	while (labels->unplaced < labels->count)
		labels->label[labels->unplaced++].pc = in->pc;
	if (*p == '@') {
		in->predicate = p;
		p += strcspn(p, " \t");
		if (*p != '\0')
			*p++ = '\0';
		p = trim(p);
	}
	in->opcode = p;
	p += strcspn(p, " \t");
	if (*p != '\0') {
		*p++ = '\0';
		squeeze(p);
		in->operands = p;
	}
	return 0;
}

/* "_Z1kPKfPfi:" begins a function, ".L_x_1:" is a label. */
static int
text_label(struct building *b, struct labels *labels, char *s, size_t n)
{
	struct label *l;

	s[n - 1] = '\0';
	if (s[0] != '.')
		return function_add(b, s);
	if (strncmp(s, ".L", 2) != 0)
		return 0;
	l = grow(labels->label, &labels->cap, labels->count, sizeof(*l));
	if (l == NULL)
		return -1;
	labels->label = l;
	l = &labels->label[labels->count];
	l->name = s;
	l->pc = UINT32_MAX;
	l->order = labels->count++;
	return 0;
}

static int
text_line(struct building *b, struct labels *labels, char *s)
{
	size_t n;

	s = trim(s);
	n = strlen(s);
	if (strncmp(s, "/*", 2) == 0)
		return text_instruction(b, labels, s);
	if (n > 1 && s[n - 1] == ':' && strchr(s, ' ') == NULL)
		return text_label(b, labels, s, n);
	return 0;
}

/* Replaces "`(.L_x_1)" with "0x1e0" and "`(name)" with "name", in place: the
 * result is not longer, or the number is left out. */
static void
label_resolve(const struct labels *labels, struct listed *in)
{
	char *open = strstr(in->operands, "`("), *close, number[16];
	const struct label *l;
	size_t room;

	if (open == NULL || (close = strchr(open, ')')) == NULL)
		return;
	*close = '\0';
	room = (size_t)(close - open);
	if ((l = label_find(labels, open + 2)) != NULL) {
		snprintf(number, sizeof(number), "0x%x", l->pc);
		if (strlen(number) > room || l->pc == UINT32_MAX)
			snprintf(number, sizeof(number), "?");
		memcpy(open, number, strlen(number) + 1);
		in->flow = true;
	} else
		memmove(open, open + 2, room - 1);
}

int
listing_text(struct listing *l, const char *text, size_t len)
{
	struct building b = { .l = l };
	struct labels labels = { .label = NULL };
	char *p, *nl;
	size_t i;
	int rc = -1;

	memset(l, 0, sizeof(*l));
	if (len > LISTING_BYTES || (l->text = malloc(len + 1)) == NULL)
		return -1;
	memcpy(l->text, text, len);
	l->text[len] = '\0';
	for (p = l->text; p != NULL; p = nl) {
		if ((nl = strchr(p, '\n')) != NULL)
			*nl++ = '\0';
		if (text_line(&b, &labels, p) != 0)
			goto out;
	}
	if (labels.count > 0)
		qsort(labels.label, labels.count, sizeof(*labels.label),
		    by_name);
	for (i = 0; i < l->instructions; i++)
		label_resolve(&labels, &l->instruction[i]);
	if (l->functions > 0 && l->instructions > 0)
		rc = 0;
out:
	free(labels.label);
	if (rc != 0)
		listing_free(l);
	return rc;
}
