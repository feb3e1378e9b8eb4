/*
 * rules/evidence/affine.c: forward data flow over the basic blocks of a
 * function, see affine.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "model/model.h"
#include "source/flow.h"
#include "source/opcode.h"

#include "rules/evidence/affine.h"
#include "rules/evidence/affine_step.h"
#include "rules/evidence/affine_value.h"

#define BLOCKS_MOST 1024	/* 8 MiB of registers */
#define STEPS_MOST (1u << 17)	/* instructions executed: some 50 ms */
#define MEETING_STEPS 8		/* as long as to pass the state on to one more block */
#define MEETINGS_STEP 256	/* meeting points looked through in the time of a step */

/* --- data flow ------------------------------------------------------------- */

/* A block's state at its begin. */
struct entry {
	struct affine_state state;
	bool reached;
	bool due;			/* it changed since the block was gone through */
};

static void
flow_into(struct entry *e, const struct affine_state *from)
{
	struct affine_state *to = &e->state;
	bool changed = !e->reached;

	e->reached = true;
	for (int r = 0; r < REGISTERS; r++) {
		struct affine v;

		/* Most are; this is the innermost loop. */
		if (memcmp(&to->reg[r], &from->reg[r], sizeof(v)) == 0)
			continue;
		v = affine_meet(&to->reg[r], &from->reg[r]);
		changed = changed || !affine_is_equal(&v, &to->reg[r]);
		to->reg[r] = v;
	}
	e->due = e->due || changed;
}

/* Do the threads that wait at the end of ${b} go on right behind it? Compilers
 * place the meeting point so, and reuse the few barrier registers. */
static bool
meets_behind(const struct flow *f, const struct block *b)
{
	for (uint32_t i = 0; b->barrier != FLOW_NONE && i < f->meetings; i++)
		if (f->meeting[i].barrier == b->barrier &&
		    f->block[f->meeting[i].block].first == b->last + 1)
			return true;
	return false;
}

/* Passes the state on to the successors of ${b}. Returns the steps that its meeting
 * points take beyond the usual one: a hostile function has as many of them as
 * instructions. */
static size_t
flow_on(const struct flow *f, const struct block *b, struct entry *entry,
    const struct affine_state *now)
{
	bool right_behind = meets_behind(f, b);
	size_t met = 0;

	for (int i = 0; i < 2; i++)
		if (b->next[i] != FLOW_NONE)
			flow_into(&entry[b->next[i]], now);
	if (b->barrier == FLOW_NONE)
		return 0;
	for (uint32_t i = 0; i < f->meetings && met < STEPS_MOST / MEETING_STEPS; i++)
		if (f->meeting[i].barrier == b->barrier && (!right_behind ||
		    f->block[f->meeting[i].block].first == b->last + 1)) {
			flow_into(&entry[f->meeting[i].block], now);
			met++;
		}
	return (met > 1 ? (met - 1) * MEETING_STEPS : 0) +
	    f->meetings / MEETINGS_STEP;
}

/* A call of one of the compiler's own functions, which begins at ${at}: the registers
 * that it writes become unknown, all others keep their values. Returns how many
 * instructions that function has. */
static size_t
step_over(struct affine_state *now, const struct flow *f, uint32_t at)
{
	const struct written *w;
	uint32_t n = 0;

	while (f->own.at[n] != at)
		n++;
	w = &f->written[n];
	for (int r = 0; r < REGISTERS; r++)
		if (w->registers[r / 64] >> r % 64 & 1)
			now->reg[r] = affine_unknown;
	return w->instructions;
}

/* Returns 0; -1 without memory; 1 if it takes too many steps. */
static int
run(struct affine *address, const struct flow *f, const struct code *c,
    const struct record_SIGNATURE *shape)
{
	struct entry *entry = calloc(f->blocks, sizeof(*entry));
	struct affine_state now;
	bool any = true;
	size_t steps = 0;

	if (entry == NULL)
		return -1;
	entry[0].reached = entry[0].due = true;
	while (any && steps < STEPS_MOST) {
		any = false;
		for (uint32_t b = 0; b < f->blocks && steps < STEPS_MOST; b++) {
			const struct block *block = &f->block[b];

			if (!entry[b].due)
				continue;
			any = true;
			entry[b].due = false;
			now = entry[b].state;
			for (uint32_t i = block->first; i <= block->last; i++) {
				const struct sass_instruction *in =
				    &c->sass.instruction[i];
				uint32_t callee = callee_at(&f->own, in);

				if (callee != SASS_NONE)
					steps += step_over(&now, f, callee);
				else
					address[i] = affine_step(&now, in, shape);
			}
			steps += 1 + block->last - block->first;
			steps += flow_on(f, block, entry, &now);
		}
	}
	free(entry);
	return any;
}

struct affine *
affine_addresses(const struct code *c, const struct record_SIGNATURE *shape)
{
	struct affine *address = calloc(c->sass.instructions + 1,
	    sizeof(*address));
	struct flow f;
	int end = 1;

	if (address == NULL || flow_make(&f, &c->sass) != 0) {
		free(address);
		return NULL;
	}
	if (f.blocks > 0 && f.blocks <= BLOCKS_MOST)
		end = run(address, &f, c, shape);
	for (size_t i = 0; end > 0 && i < c->sass.instructions; i++)
		address[i] = affine_unknown;
	flow_free(&f);
	if (end >= 0)
		return address;
	free(address);
	return NULL;
}

/* --- accesses -------------------------------------------------------------- */

/* The address of each lane of the first warp; false if it is not known. */
static bool
lanes_at(int64_t at[WARP], const struct affine *a,
    const struct record_SIGNATURE *shape)
{
	uint32_t row = shape->block_x;

	if (a->kind != AFFINE_STEPS || row == 0 || a->x == AFFINE_SOME ||
	    (row < WARP && a->y == AFFINE_SOME) ||
	    (uint64_t)row * shape->block_y < WARP)
		return false;
	for (uint32_t i = 0; i < WARP; i++)
		at[i] = (int64_t)(i % row) * a->x + (int64_t)(i / row) *
		    (row < WARP ? a->y : 0);
	return true;
}

/* Lanes are a few, and mostly in order: then this takes one pass, and qsort a call for
 * each comparison. */
static void
sort(int64_t *at, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		int64_t x = at[i];
		unsigned to = i;

		for (; to > 0 && at[to - 1] > x; to--)
			at[to] = at[to - 1];
		at[to] = x;
	}
}

/* The number of different values among the first ${n}; sorts them. */
static unsigned
different(int64_t *at, unsigned n)
{
	unsigned count = n > 0;

	sort(at, n);
	for (unsigned i = 1; i < n; i++)
		count += at[i] != at[i - 1];
	return count;
}

bool
affine_is_one(const struct affine *a)
{
	return a->kind == AFFINE_STEPS && a->x == 0 && a->y == 0;
}

/* Sectors of a warp whose lanes are arranged in columns, each with sectors of
 * its own: as many per column as its rows span. */
static double
columns_sectors(const struct affine *a, const struct record_SIGNATURE *shape)
{
	uint32_t width = shape->block_x < WARP ? shape->block_x : WARP, rows;
	int64_t at[WARP];

	if (width == 0 || (uint64_t)width * shape->block_y < WARP)
		return width == WARP ? WARP : NAN;
	rows = WARP / width;
	if (rows == 1 || a->y == AFFINE_SOME)
		return WARP;
	for (uint32_t r = 0; r < rows; r++)
		at[r] = (int64_t)r * (a->y < 0 ? -a->y : a->y) / SECTOR;
	return width * different(at, rows);
}

double
affine_sectors(const struct affine *a, uint32_t bytes,
    const struct record_SIGNATURE *shape)
{
	int64_t at[WARP], low = 0;

	if (bytes == 0 || bytes > SECTOR)
		return NAN;
	if (a->kind == AFFINE_STEPS && a->x == AFFINE_SOME)
		return columns_sectors(a, shape);
	if (!lanes_at(at, a, shape))
		return NAN;
	for (int i = 0; i < WARP; i++)
		low = at[i] < low ? at[i] : low;
	for (int i = 0; i < WARP; i++)
		at[i] = (at[i] - low) / SECTOR;
	return different(at, WARP);
}

#define BANKS 32

double
affine_wavefronts(const struct affine *a, uint32_t bytes,
    const struct record_SIGNATURE *shape)
{
	unsigned words = bytes > BANK ? bytes / BANK : 1, most;
	unsigned together = WARP / words;	/* lanes of a wavefront */
	double sum = 0;
	int64_t at[WARP], low = 0;

	if (bytes == 0 || bytes > 16 || !lanes_at(at, a, shape))
		return NAN;
	for (int i = 0; i < WARP; i++)
		low = at[i] < low ? at[i] : low;
	for (unsigned part = 0; part < words; part++) {
		int64_t word[WARP];
		unsigned n = 0, bank[BANKS] = { 0 };

		for (unsigned i = 0; i < together; i++)
			word[n++] = (at[part * together + i] - low) / BANK;
		sort(word, n);
		most = 1;
		for (unsigned i = 0; i < n; i++)
			if (i == 0 || word[i] != word[i - 1])
				for (unsigned w = 0; w < words; w++)
					bank[(word[i] + w) % BANKS]++;
		for (int b = 0; b < BANKS; b++)
			most = bank[b] > most ? bank[b] : most;
		sum += most;
	}
	/* One address is broadcast to all lanes. */
	return different(at, WARP) == 1 ? 1 : sum;
}
