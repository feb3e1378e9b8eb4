/*
 * model/timeline.c: busy time per bin. Inside, bins are 2^n ns wide and lie at
 * absolute times. Bins that an interval covers wholly are kept as differences (+1 at
 * the first, -1 after the last), so that an interval costs the same whatever its
 * length.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

#define BINS TIMELINE_BINS
#define FIRST_SHIFT 10		/* the first bins are 1,024 ns wide */

const char *const timeline_row_name[ROW_COUNT] = {
	[ROW_KERNEL] = "kernel", [ROW_H2D] = "h2d", [ROW_D2H] = "d2h",
	[ROW_D2D] = "d2d", [ROW_MEMSET] = "memset", [ROW_SYNC] = "sync",
	[ROW_API] = "api", [ROW_IDLE_HOST] = "idle_host",
	[ROW_IDLE_SYNC] = "idle_sync", [ROW_IDLE_LAUNCH] = "idle_launch",
	[ROW_IDLE_CALL] = "idle_call",
	[ROW_IDLE_MEASURING] = "idle_measuring",
};

struct line {
	int64_t base;		/* where bin 0 starts */
	uint32_t shift;		/* bins are 2^shift ns wide */
	uint32_t used;
	double part[ROW_COUNT][BINS + 1];
	int32_t step[ROW_COUNT][BINS + 2];
	uint32_t count[ROW_COUNT][BINS];
};

/* Busy time per bin from parts and differences; the caller's ${out} has BINS
 * elements. */
static void
row_busy(const struct line *l, int row, double *out)
{
	double width = (double)(1ull << l->shift);
	int64_t whole = 0;
	uint32_t i;

	for (i = 0; i < BINS; i++) {
		whole += l->step[row][i];
		out[i] = l->part[row][i] + (double)whole * width;
	}
}

static void
line_double(struct line *l)
{
	double busy[BINS];
	uint32_t i;
	int row;

	for (row = 0; row < ROW_COUNT; row++) {
		row_busy(l, row, busy);
		memset(l->part[row], 0, sizeof(l->part[row]));
		memset(l->step[row], 0, sizeof(l->step[row]));
		for (i = 0; i < BINS; i++)
			l->part[row][i / 2] += busy[i];
		for (i = 0; i < BINS / 2; i++)
			l->count[row][i] = l->count[row][2 * i] +
			    l->count[row][2 * i + 1];
		memset(l->count[row] + BINS / 2, 0,
		    BINS / 2 * sizeof(l->count[row][0]));
	}
	l->used = (l->used + 1) / 2;
	l->shift++;
}

static void
line_shift(struct line *l, uint32_t bins)
{
	int row;

	for (row = 0; row < ROW_COUNT; row++) {
		memmove(l->part[row] + bins, l->part[row],
		    (BINS + 1 - bins) * sizeof(l->part[row][0]));
		memset(l->part[row], 0, bins * sizeof(l->part[row][0]));
		memmove(l->step[row] + bins, l->step[row],
		    (BINS + 2 - bins) * sizeof(l->step[row][0]));
		memset(l->step[row], 0, bins * sizeof(l->step[row][0]));
		memmove(l->count[row] + bins, l->count[row],
		    (BINS - bins) * sizeof(l->count[row][0]));
		memset(l->count[row], 0, bins * sizeof(l->count[row][0]));
	}
	l->used += bins;
	l->base -= (int64_t)bins << l->shift;
}

/* Make [start, end] lie within the bins; times are below 2^62 (model_time). */
static void
line_fit(struct line *l, int64_t start, int64_t end)
{
	int64_t before;

	while (start < l->base) {
		before = ((l->base - start - 1) >> l->shift) + 1;
		if (before + l->used <= BINS)
			line_shift(l, (uint32_t)before);
		else
			line_double(l);
	}
	while ((end - l->base) >> l->shift >= BINS)
		line_double(l);
}

static struct line *
line_of(struct device_state *d, uint64_t start)
{

	if (d->line == NULL) {
		if ((d->line = calloc(1, sizeof(*d->line))) == NULL)
			return NULL;
		d->line->shift = FIRST_SHIFT;
		d->line->base = (int64_t)start;
	}
	return d->line;
}

int
timeline_add(struct device_state *d, enum timeline_row row, uint64_t start,
    uint64_t end)
{
	struct line *l = line_of(d, start);
	int64_t a = (int64_t)start, b = (int64_t)end, width;
	uint32_t i, j;

	if (l == NULL)
		return -1;
	line_fit(l, a, b);
	width = (int64_t)1 << l->shift;
	a -= l->base;
	b -= l->base;
	i = (uint32_t)(a >> l->shift);
	j = (uint32_t)(b >> l->shift);
	if (i == j)
		l->part[row][i] += (double)(b - a);
	else {
		l->part[row][i] += (double)((int64_t)(i + 1) * width - a);
		l->part[row][j] += (double)(b - (int64_t)j * width);
		l->step[row][i + 1]++;
		l->step[row][j]--;
	}
	if (j >= l->used)
		l->used = j + 1;
	return 0;
}

int
timeline_count(struct device_state *d, enum timeline_row row, uint64_t at)
{
	struct line *l = line_of(d, at);
	uint32_t i;

	if (l == NULL)
		return -1;
	line_fit(l, (int64_t)at, (int64_t)at);
	i = (uint32_t)(((int64_t)at - l->base) >> l->shift);
	l->count[row][i]++;
	if (i >= l->used)
		l->used = i + 1;
	return 0;
}

/* Map bins that start ${delta} ns after the origin to bins that start at the origin. */
static void
row_out(const struct line *l, int row, int64_t delta, struct timeline *t)
{
	double busy[BINS], whole[BINS + 1] = { 0 }, share;
	int64_t width = (int64_t)1 << l->shift, at, next;
	uint32_t i, k;

	row_busy(l, row, busy);
	for (i = 0; i < l->used; i++) {
		at = delta + (int64_t)i * width;
		if (at < 0)
			at = 0;
		k = (uint32_t)((uint64_t)at / t->bin_ns);
		next = (int64_t)((k + 1) * t->bin_ns);
		share = at + width <= next ? 1 :
		    (double)(next - at) / (double)width;
		whole[k] += busy[i] * share;
		whole[k + 1] += busy[i] * (1 - share);
		t->count[row][k] += l->count[row][i];
	}
	/* Copies or threads at the same time fill a bin only once. */
	for (i = 0; i < BINS; i++)
		t->busy_ns[row][i] = (float)(whole[i] < (double)t->bin_ns ?
		    whole[i] : (double)t->bin_ns);
}

void
timeline_out(const struct line *l, uint64_t origin, struct timeline *t)
{
	int64_t delta, length;
	int row;

	memset(t, 0, sizeof(*t));
	t->bin_ns = 1ull << FIRST_SHIFT;
	if (l == NULL)
		return;
	delta = l->base - (int64_t)origin;
	length = delta + ((int64_t)l->used << l->shift);
	if (length < 0)
		length = 0;
	t->bin_ns = 1ull << l->shift;
	while ((uint64_t)length > t->bin_ns * BINS)
		t->bin_ns *= 2;
	t->bins = (uint32_t)(((uint64_t)length + t->bin_ns - 1) / t->bin_ns);
	for (row = 0; row < ROW_COUNT; row++)
		row_out(l, row, delta, t);
}
