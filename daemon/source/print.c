/*
 * source/print.c: see print.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/listing.h"
#include "source/print.h"

static int
add(struct print *t, const char *s, size_t n)
{
	size_t cap = t->cap == 0 ? 4096 : t->cap;
	char *p;

	if (n > PRINT_BYTES - t->len)
		return -1;
	while (cap - t->len < n + 1)
		cap *= 2;
	if (cap != t->cap) {
		if ((p = realloc(t->p, cap)) == NULL)
			return -1;
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->len, s, n);
	t->len += n;
	t->p[t->len] = '\0';
	return 0;
}

/*
 * The target of a branch: the number after its last comma. A target before the
 * function's begin becomes negative, so that it is not taken for one inside.
 */
static int
target_add(struct print *t, const struct listed *in,
    const struct print_place *at, const char *name)
{
	const char *last = strrchr(in->operands, ',');
	char *end, number[24];
	unsigned long pc;

	last = last == NULL ? in->operands : last + 1;
	pc = strtoul(last, &end, 16);
	if (strncmp(last, "0x", 2) != 0 || *end != '\0')
		return add(t, in->operands, strlen(in->operands));
	if (name == NULL) {
		if (pc < at->begin || pc >= at->end || pc % 16 != 0)
			return add(t, in->operands, strlen(in->operands));
		snprintf(number, sizeof(number), "%s0x%lx",
		    pc < at->base ? "-" : "",
		    pc < at->base ? at->base - pc : pc - at->base);
		name = number;
	}
	if (add(t, in->operands, (size_t)(last - in->operands)) != 0)
		return -1;
	return add(t, name, strlen(name));
}

int
print_line(struct print *t, const struct listed *in,
    const struct print_place *at, const char *name)
{
	size_t from = t->len;
	char pc[16];

	snprintf(pc, sizeof(pc), "%04x ", in->pc - at->base);
	if (add(t, pc, strlen(pc)) != 0)
		return -1;
	if (*in->predicate != '\0' &&
	    (add(t, in->predicate, strlen(in->predicate)) != 0 ||
	    add(t, " ", 1) != 0))
		return -1;
	if (add(t, in->opcode, strlen(in->opcode)) != 0)
		return -1;
	if (*in->operands != '\0' && (add(t, " ", 1) != 0 ||
	    (in->flow || name != NULL ? target_add(t, in, at, name) :
	    add(t, in->operands, strlen(in->operands))) != 0))
		return -1;
	text_clean(t->p + from, t->len - from);
	return add(t, "\n", 1);
}
