/*
 * rules/evidence/counters.c: see counters.h.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/engine/same.h"
#include "rules/evidence/counters.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"

/* A number's size; arithmetic: the widest has 16 bytes. */
#define NUMBER_BYTES 16

/* Fewer are no training: as many as unfused-optimizer asks for launches. */
#define COPIES_LEAST 500

/* Files of torch/optim whose optimizers count steps in a tensor for each parameter, and
 * whether they have a fused form. SGD counts none. */
static const struct {
	const char *file;
	bool fused;
} counting[] = {
	{ "adam.py", true },
	{ "adamw.py", true },
	{ "adagrad.py", true },
	{ "adadelta.py", false },
	{ "adamax.py", false },
	{ "asgd.py", false },
	{ "nadam.py", false },
	{ "radam.py", false },
	{ "rmsprop.py", false },
	{ "rprop.py", false },
};

/* The row of the optimizer that reads a number at ${s}, below no line of the program's that it
 * calls; -1: none does. */
static int
reader_of(const struct site *s)
{
	if (!lines_reads(s) || operator_copies(s))
		return -1;
	for (size_t f = 0; f < s->frames; f++) {
		const char *file = s->frame[f].file;
		const char *at = file != NULL ? strstr(file, "/torch/optim/") : NULL;

		if (at == NULL && site_own(&s->frame[f]))
			return -1;
		for (size_t i = 0; at != NULL && i < sizeof(counting) / sizeof(counting[0]);
		    i++)
			if (strcmp(text_base_name(at), counting[i].file) == 0)
				return (int)i;
	}
	return -1;
}

bool
counters_other(const struct site *s)
{
	return lines_reads(s) && reader_of(s) < 0;
}

/* Sets the part of the numbers that lines read. */
static void
find_sites(const struct run *run, struct counters *c)
{
	double all = 0, own = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		int row = reader_of(s);

		all += row >= 0 || operator_reads_value(s) ? (double)s->count : 0;
		if (row < 0)
			continue;
		own += (double)s->count;
		if (c->most != NULL && s->count <= c->most->count)
			continue;
		c->most = s;
		c->fused = counting[row].fused;
	}
	c->part = all > 0 ? own / all : 0;
}

/* How long the host was seen in these reads: in the function that makes most of them, which
 * optimizers share. */
static double
looked_s(const struct run *run, const struct site *most)
{
	double sum = 0;

	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (l->site != NULL && l->site->frames > 0 &&
		    same_frame_function(&l->site->frame[0], &most->frame[0]))
			sum += l->s;
	}
	return sum;
}

struct counters
counters_of(const struct run *run)
{
	struct counters c = { .copies = 0 };

	find_sites(run, &c);
	for (size_t i = 0; c.part > 0 && i < run->smalls; i++) {
		const struct small_copies *s = &run->small[i];

		if (s->kind != COPY_D2H || (double)s->bytes >
		    NUMBER_BYTES * (double)s->copies)
			continue;
		c.copies += c.part * (double)s->copies;
		c.groups += (double)s->groups;
		c.copy_s += c.part * (double)s->gpu_ns * 1e-9;
		c.gap_s += c.part * fmax(0, (double)s->span_ns - (double)s->gpu_ns) * 1e-9;
	}
	if (c.copies < COPIES_LEAST)
		return (struct counters){ .copies = 0 };
	c.wait_s = fmax(0, looked_s(run, c.most) - c.copy_s - c.gap_s);
	return c;
}

bool
counters_single(const struct copy_class *c)
{
	return !c->memset && c->kind == COPY_D2H && (double)c->bytes <=
	    NUMBER_BYTES * (double)c->count;
}

double
counters_of_reads(const struct run *run, const struct counters *c)
{
	double all = 0;

	for (size_t i = 0; i < run->copies; i++)
		if (counters_single(&run->copy[i]))
			all += (double)run->copy[i].count;
	return all > 0 ? fmin(1, c->copies / all) : 0;
}

const char *
counters_advice(const struct counters *c)
{
	return c->fused ? "give the optimizer fused=True (or capturable=True): its step counters "
	    "are on the GPU, and without either it reads them one by one in each step" :
	    "give the optimizer capturable=True: its step counters are on the GPU, and without "
	    "that it reads them one by one in each step";
}
