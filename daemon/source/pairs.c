/*
 * source/pairs.c: multiplies whose product is used by a single add only, which
 * one fused instruction could replace. Conservative: an instruction counts as
 * reading at least, and as overwriting at most, what is certain.
 */
#include <stdlib.h>
#include <string.h>

#include "source/effect.h"
#include "source/flow.h"
#include "source/opcode.h"

#define MAX_PASSES 64		/* iterations of the liveness analysis */

/* A set of registers. */
struct set {
	uint64_t bit[GENERAL_REGISTERS / 64];
};

static bool
set_has(const struct set *s, unsigned reg)
{

	return reg < GENERAL_REGISTERS && (s->bit[reg / 64] >> (reg % 64) & 1) != 0;
}

static void
set_put(struct set *s, unsigned from, unsigned width, bool in)
{
	unsigned r;

	for (r = from; r < from + width && r < GENERAL_REGISTERS; r++)
		if (in)
			s->bit[r / 64] |= 1ull << (r % 64);
		else
			s->bit[r / 64] &= ~(1ull << (r % 64));
}

static void
set_fill(struct set *s)
{

	memset(s, 0xff, sizeof(*s));
}

/* ${into} |= ${from}; true if it changed. */
static bool
set_join(struct set *into, const struct set *from)
{
	uint64_t grown = 0;
	unsigned i;

	for (i = 0; i < GENERAL_REGISTERS / 64; i++) {
		grown |= from->bit[i] & ~into->bit[i];
		into->bit[i] |= from->bit[i];
	}
	return grown != 0;
}

/* --- liveness after a block ------------------------------------------------ */

struct life {
	const struct flow *f;
	struct set *need, *made;	/* by block: read first; overwritten */
	struct set *in;			/* at its begin */
	struct set at[FLOW_BARRIERS];	/* live where its threads continue */
};

static void
block_need(const struct sass *s, const struct block *b, struct set *need,
    struct set *made)
{
	struct effect e;
	uint32_t i, j;

	for (i = b->last + 1; i-- > b->first;) {
		e = effect_of(&s->instruction[i]);
		if (e.any) {
			set_fill(need);
			continue;
		}
		set_put(need, e.write, e.sure, false);
		set_put(made, e.write, e.sure, true);
		for (j = 0; j < e.reads; j++)
			set_put(need, e.read[j].reg, e.read[j].width, true);
	}
}

static struct set
life_out(const struct life *l, const struct block *b)
{
	struct set out;
	unsigned i;

	memset(&out, 0, sizeof(out));
	if (b->unknown)
		set_fill(&out);
	for (i = 0; i < 2; i++)
		if (b->next[i] != FLOW_NONE)
			set_join(&out, &l->in[b->next[i]]);
	if (b->barrier != FLOW_NONE)
		set_join(&out, &l->at[b->barrier]);
	return out;
}

static bool
life_pass(struct life *l)
{
	const struct flow *f = l->f;
	bool grown = false;
	struct set out;
	uint32_t i, j;

	for (i = f->blocks; i-- > 0;) {
		out = life_out(l, &f->block[i]);
		for (j = 0; j < GENERAL_REGISTERS / 64; j++)
			out.bit[j] = (out.bit[j] & ~l->made[i].bit[j]) |
			    l->need[i].bit[j];
		grown |= set_join(&l->in[i], &out);
	}
	for (i = 0; i < f->meetings; i++)
		grown |= set_join(&l->at[f->meeting[i].barrier],
		    &l->in[f->meeting[i].block]);
	return grown;
}

static void
life_free(struct life *l)
{

	free(l->need);
	free(l->made);
	free(l->in);
}

static int
life_make(struct life *l, const struct flow *f, const struct sass *s)
{
	uint32_t i, n = f->blocks, pass = 0;

	memset(l, 0, sizeof(*l));
	l->f = f;
	l->need = calloc(n, sizeof(*l->need));
	l->made = calloc(n, sizeof(*l->made));
	l->in = calloc(n, sizeof(*l->in));
	if (l->need == NULL || l->made == NULL || l->in == NULL)
		return -1;
	for (i = 0; i < n; i++)
		block_need(s, &f->block[i], &l->need[i], &l->made[i]);
	while (life_pass(l))
		if (++pass == MAX_PASSES) {
			for (i = 0; i < n; i++)
				set_fill(&l->in[i]);
			break;
		}
	return 0;
}

/* --- pairs ---------------------------------------------------------------- */

/* A product without its add so far, by its (first) register. */
struct open_product {
	uint32_t multiply, add;	/* indices; SASS_NONE */
	uint16_t width;		/* 0: there is none */
};

struct search {
	struct sass *s;
	struct open_product product[GENERAL_REGISTERS];
	uint32_t waiting;
};

#define KINDS (SASS_FP32 | SASS_FP64 | SASS_FP16)

/* Only modifiers that the fused instruction has as well. */
static bool
modifiers_fit(const struct sass_instruction *mul,
    const struct sass_instruction *add)
{
	static const char *const known[] = { "FTZ", "BF16_V2", "BF16", "SAT" };
	const char *p, *name[2] = { mul->opcode, add->opcode };
	size_t i, j, n;

	for (i = 0; i < 2; i++)
		for (p = strchr(name[i], '.'); p != NULL;
		    p = strchr(p, '.')) {
			n = strcspn(++p, ".");
			for (j = 0; j < 4 && (strlen(known[j]) != n ||
			    strncmp(p, known[j], n) != 0); j++)
				;
			if (j == 4 || (j == 3 && i == 0))
				return false;
		}
	for (j = 0; j < 3; j++)
		if (opcode_has(mul->opcode, known[j]) !=
		    opcode_has(add->opcode, known[j]))
			return false;
	return true;
}

/* The number of operands from ${place} on that are constants, immediate or
 * uniform: an instruction can have one. */
static unsigned
constants(const char *text, unsigned place)
{
	unsigned n = 0, i = 0;
	const char *p;

	for (p = text; p != NULL; p = strchr(p, ','), i++) {
		p += *p == ',';
		p += strspn(p, " -|");
		if (i >= place && *p != '\0' && *p != 'R')
			n++;
	}
	return n;
}

/* May ${add} take the product of ${mul} in operand ${o}? */
static bool
fits(const struct sass_instruction *mul, const struct sass_instruction *add,
    const struct operand *o)
{
	const char *text = opcode_operands(add);

	if ((add->flags & SASS_ADD) == 0 || !o->plain ||
	    (add->flags & KINDS) != (mul->flags & KINDS) ||
	    ((add->flags | mul->flags) & SASS_CONDITIONAL) != 0 ||
	    (strchr(add->opcode, '2') == NULL) !=
	    (strchr(mul->opcode, '2') == NULL) || !modifiers_fit(mul, add))
		return false;
	/* With RZ it is a move or a negation. */
	if (strstr(text, "RZ") != NULL)
		return false;
	return constants(opcode_operands(mul), 1) + constants(text, 1) < 2;
}

static void
drop(struct search *x, unsigned reg)
{

	if (x->product[reg].width > 0)
		x->waiting--;
	x->product[reg].width = 0;
}

/* Drops every product in the registers from ${reg} on, except ${keep}. */
static void
drop_range(struct search *x, unsigned reg, unsigned width, unsigned keep)
{
	unsigned r;

	for (r = reg == 0 ? 0 : reg - 1; r < reg + width && r < GENERAL_REGISTERS; r++)
		if (r != keep && r + x->product[r].width > reg)
			drop(x, r);
}

static void
confirm(struct search *x, unsigned reg)
{
	const struct open_product *p = &x->product[reg];

	if (p->width > 0 && p->add != SASS_NONE)
		x->s->instruction[p->multiply].pair = p->add;
	drop(x, reg);
}

static void
take_reads(struct search *x, uint32_t index, const struct effect *e)
{
	struct sass_instruction *in = x->s->instruction;
	const struct operand *o;
	bool taken = false;	/* only one of two products can be fused */
	struct open_product *p;
	uint32_t i;

	for (i = 0; i < e->reads; i++) {
		o = &e->read[i];
		p = &x->product[o->reg];
		if (p->width > 0 && p->width == o->width &&
		    p->add == SASS_NONE && !taken &&
		    fits(&in[p->multiply], &in[index], o)) {
			p->add = index;
			taken = true;
			drop_range(x, o->reg, o->width, o->reg);
		} else
			drop_range(x, o->reg, o->width, GENERAL_REGISTERS);
	}
}

static void
take_write(struct search *x, uint32_t index, const struct effect *e)
{
	const struct sass_instruction *in = &x->s->instruction[index];
	struct open_product *p;
	unsigned r;

	/* Overwritten completely: the product has no other use. */
	for (r = e->write; r < e->write + e->sure && r < GENERAL_REGISTERS; r++)
		if (x->product[r].width > 0 &&
		    r + x->product[r].width <= e->write + e->sure)
			confirm(x, r);
	drop_range(x, e->write, e->maybe, GENERAL_REGISTERS);
	if ((in->flags & SASS_MULTIPLY) == 0 || e->sure == 0 ||
	    (in->flags & SASS_CONDITIONAL) != 0)
		return;
	p = &x->product[e->write];
	p->multiply = index;
	p->add = SASS_NONE;
	p->width = e->sure;
	x->waiting++;
}

static void
block_search(struct search *x, const struct block *b, const struct set *out)
{
	struct effect e;
	unsigned r;
	uint32_t i;

	memset(x->product, 0, sizeof(x->product));
	x->waiting = 0;
	for (i = b->first; i <= b->last; i++) {
		if (x->waiting == 0 && (x->s->instruction[i].flags &
		    SASS_MULTIPLY) == 0)
			continue;
		e = effect_of(&x->s->instruction[i]);
		if (e.any) {
			drop_range(x, 0, GENERAL_REGISTERS, GENERAL_REGISTERS);
			continue;
		}
		take_reads(x, i, &e);
		take_write(x, i, &e);
	}
	for (r = 0; r < GENERAL_REGISTERS && x->waiting > 0; r++)
		if (x->product[r].width > 0 && !set_has(out, r) &&
		    (x->product[r].width == 1 || !set_has(out, r + 1)))
			confirm(x, r);
}

static bool
has_both(const struct sass *s)
{
	uint32_t all = 0;
	size_t i;

	for (i = 0; i < s->instructions; i++)
		all |= s->instruction[i].flags;
	return (all & SASS_MULTIPLY) != 0 && (all & SASS_ADD) != 0;
}

int
flow_pairs(const struct flow *f, struct sass *s)
{
	struct search x = { .s = s };
	struct life l;
	struct set out;
	uint32_t i;
	int rc = -1;

	if (!has_both(s))
		return 0;
	if (life_make(&l, f, s) == 0) {
		for (i = 0; i < f->blocks; i++) {
			out = life_out(&l, &f->block[i]);
			block_search(&x, &f->block[i], &out);
		}
		rc = 0;
	}
	life_free(&l);
	return rc;
}
