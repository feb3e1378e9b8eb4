/*
 * library-misaligned: a matrix product whose rows begin at odd addresses, so
 * that the library picks kernels that load element by element. Their names say
 * so: "align1", where "align8" would be one load of 16 bytes.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/rule.h"

#define LOAD_BYTES 16	/* the widest load of a thread */

/* What is left of a launch's time. Measured on an H200: 0.19 of a product of
 * 4096 × 1024 and 1024 × 50257 elements of 16 bits; smaller products may wait
 * for something else. */
static const double left_over[VIEWS] = { 0.6, 0.25, 0.15 };

/* Bytes of an element; 0: the name does not say, or the kernel uses no tensor
 * cores and alignment does not matter to it. */
static unsigned
element_bytes(const struct library *l)
{
	if (l->precision == NULL || !l->tensor)
		return 0;
	if (strcmp(l->precision, "BF16") == 0 ||
	    strcmp(l->precision, "FP16") == 0)
		return 2;
	return strcmp(l->precision, "TF32") == 0 ? 4 : 0;
}

/* The smallest alignment in elements that ${name} states; 0: none. */
static unsigned
alignment_of(const char *name)
{
	static const char word[] = "align";
	unsigned least = 0;

	for (const char *p = name; p != NULL &&
	    (p = strstr(p, word)) != NULL;) {
		unsigned n = 0;

		p += sizeof(word) - 1;
		if (*p == 'a' || *p == 'b' || *p == 'c')
			p++;
		while (isdigit((unsigned char)*p) && n < 1000)
			n = 10 * n + (unsigned)(*p++ - '0');
		if (n > 0 && (least == 0 || n < least))
			least = n;
	}
	return least;
}

enum rule_state
rule_library_misaligned(struct rule_view *x)
{
	const struct library *l = x->library;
	unsigned bytes, elements;
	struct draft *d;

	if (!library_does(l, "matmul"))
		return RULE_CLEAN;
	bytes = element_bytes(l);
	elements = alignment_of(x->kernel->name != NULL ? x->kernel->name :
	    x->kernel->mangled);
	if (bytes == 0 || elements == 0 || elements * bytes >= LOAD_BYTES ||
	    elements * bytes > rule_value(x, "max_bytes"))
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	for (int v = 0; v < VIEWS; v++)
		d->fix[v].whole = left_over[v];
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "load_bytes", elements * bytes,
	    "bytes that a thread may load at once, by the kernel's name",
	    .derived = "kernel name", .key = "max_bytes");
	d->f.summary = arena_format(x->arena, "%s, %s: rows aligned to %s only",
	    l->name, l->precision, say_counted(x->arena, elements, "element"));
	d->f.limiter = "narrow loads: the fast kernels want rows that begin at "
	    "multiples of 16 bytes";
	d->f.advice = arena_format(x->arena, "make each extent of the matrices a "
	    "multiple of %u elements (64 is better); pad the vocabulary, the "
	    "hidden size or the batch, and leave the padding out of the result",
	    LOAD_BYTES / bytes);
	d->f.gain_note = "as far as the product does not wait for memory";
	d->f.bad_code = "head = torch.nn.Linear(1024, 50257)";
	d->f.good_code = "head = torch.nn.Linear(1024, 50304)   # 64 × 786";
	return rule_settle(x, d);
}
