/*
 * rules/executions.c: rules-executions CAPTURE… estimates how often each instruction
 * of the captures' kernels executes, from their code and the counters of a first
 * launch (coded_estimate.h), and compares this with the counts, where instructions
 * were counted. A line a kernel, tab-separated, with the difference as a share of all
 * executions: 0: each is right, 1: none is. The last line: median, ninth tenth, number,
 * of each function's first launch shape. It fails if the median is above --most.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/rule.h"
#include "rules/evidence/coded_estimate.h"
#include "rules/gain/load.h"
#include "rules/once.h"

#define KERNELS_MOST 4096

struct errors {
	double value[KERNELS_MOST];
	size_t count;
	bool each;		/* print each instruction, also of kernels without counts */
};

static double
of_flags(const struct code *c, uint32_t flags, enum sass_space space)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if ((flags == 0 || c->sass.instruction[s].flags & flags) &&
		    (space == SPACE_NONE ||
		    c->sass.instruction[s].space == space))
			sum += inst_executed(c, s);
	return sum;
}

/* Executions that are somewhere else in ${e} than in ${c}, as a share. */
static double
difference(const struct code *c, const struct code *e)
{
	double all = of_flags(c, 0, SPACE_NONE), sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		sum += fabs(inst_executed(c, s) - inst_executed(e, s));
	return all > 0 ? sum / 2 / all : NAN;
}

static void
print_each(const struct code *c, const struct code *e, double warps)
{
	for (uint32_t s = 0; s < c->sass.instructions; s++)
		printf("\t%4u %d %12.3f %12.3f %s\n", s,
		    sass_loop_of(&c->sass, s) != NULL ?
		    (int)(sass_loop_of(&c->sass, s) - c->sass.loop) : -1,
		    inst_executed(c, s) / warps, inst_executed(e, s) / warps,
		    c->sass.instruction[s].text);
}

static void
compare(const char *path, const struct run *run, const struct kernel *k,
    struct errors *all)
{
	struct arena arena = { 0 };
	struct code code = *k->code;
	struct kernel kernel = *k;
	struct load load;
	struct coded e;
	struct rule_view x = { .run = run, .kernel = &kernel, .load = &load,
	    .device = &run->device[k->device], .arena = &arena };
	const char *base = strrchr(path, '/');
	double warps = rule_blocks(k) * ceil(rule_threads(k) / 32.0);
	double total = of_flags(k->code, 0, SPACE_NONE);

	code.counted = false;
	kernel.code = &code;
	once_mask(&kernel);
	x.ceiling = &x.device->ceilings;
	load_of(&load, &kernel, x.device);
	if (all->count == KERNELS_MOST || coded_of(&e, &x) != 0)
		return;
	if (!k->code->counted)
		total = NAN;
	all->value[all->count] = difference(k->code, &e.code);
	printf("%s\t%s\t%zu loops\t%.3f\tof %.3g a warp: %.3g", base != NULL ?
	    base + 1 : path, k->short_name, code.sass.loops,
	    all->value[all->count], total / warps,
	    of_flags(&e.code, 0, SPACE_NONE) / warps);
	printf("\tXU %.3g %.3g\tFP64 %.3g %.3g\tlocal %.3g %.3g\n",
	    of_flags(k->code, SASS_XU, SPACE_NONE) / total,
	    of_flags(&e.code, SASS_XU, SPACE_NONE) / total,
	    of_flags(k->code, SASS_FP64, SPACE_NONE) / total,
	    of_flags(&e.code, SASS_FP64, SPACE_NONE) / total,
	    of_flags(k->code, 0, SPACE_LOCAL) / total,
	    of_flags(&e.code, 0, SPACE_LOCAL) / total);
	if (all->each)
		print_each(k->code, &e.code, warps);
	all->count += k->code->counted;
	coded_clear(&e);
	arena_free(&arena);
}

static int
ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Is it the first launch shape of its function? */
static bool
is_first(const struct run *run, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (inst_is_same(&run->kernel[i], &run->kernel[k]))
			return false;
	return true;
}

static int
tell(const char *path, struct errors *all)
{
	struct analysed x;

	if (analysed_load(&x, path, NOTHING_HELD) != 0)
		return 1;
	for (size_t k = 0; k < x.run->kernels; k++) {
		const struct kernel *one = &x.run->kernel[k];

		if (one->code != NULL && one->code->disassembled &&
		    (one->code->counted || all->each) && one->launches > 0 &&
		    one->device < x.run->devices && is_first(x.run, k))
			compare(path, x.run, one, all);
	}
	analysed_release(&x);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct errors all;
	double most = INFINITY;
	int failed = argc < 2, i = 1;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
		if (strcmp(argv[i], "--each") == 0)
			all.each = true;
		else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
			most = strtod(argv[++i], NULL);
	for (; i < argc; i++)
		failed |= tell(argv[i], &all);
	qsort(all.value, all.count, sizeof(all.value[0]), ascending);
	if (all.count == 0)
		return 1;
	printf("median %.3f, ninth tenth %.3f, %zu functions\n",
	    all.value[all.count / 2], all.value[all.count * 9 / 10], all.count);
	return failed || all.value[all.count / 2] > most;
}
