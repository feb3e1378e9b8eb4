/*
 * rules/gain/load.c: the limit of a launch, in words and numbers, see load.h.
 */
#include <math.h>
#include <stddef.h>

#include "rules/gain/load.h"
#include "facts/warp.h"

/* Below BUSY_LOW no resource explains the time, above BUSY_HIGH the busiest one
 * does. Nsight Compute uses 60 and 80 % for the same decision; here it is a
 * slope, so that a percent more or less never changes the advice. */
#define BUSY_LOW 0.4
#define BUSY_HIGH 0.8

/* The DRAM ceiling is that of copies. Reads in excess of writes need no bus
 * turnaround: 4.63 TB/s against 4.06, which writes alone do not exceed either; H200. */
#define READS_LESS (1 - 4.06 / 4.63)

#define RESOURCES(X)							\
	X(DRAM, "", "DRAM") X(L2, "", "L2")				\
	X(L1, "the ", "L1/shared data pipe")				\
	X(ISSUE, "", "instruction issue") X(ALU, "the ", "ALU pipe")	\
	X(FMA, "the ", "FMA pipe") X(FP64, "the ", "FP64 pipe")		\
	X(XU, "the ", "XU pipe") X(LSU, "the ", "LSU pipe")		\
	X(TENSOR, "the ", "tensor pipe") X(START, "the ", "block scheduler")

const char *const resource_name[RES_COUNT] = {
#define X(id, article, name) [RES_##id] = name,
	RESOURCES(X)
#undef X
};

const char *const resource_said[RES_COUNT] = {
#define X(id, article, name) [RES_##id] = article name,
	RESOURCES(X)
#undef X
};

bool
load_counted(const struct kernel *k)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		if (isfinite(k->metric[i]))
			return true;
	return false;
}

double
samples_stalled(const struct samples *s, uint32_t mask)
{
	double sum = 0;

	for (int i = 0; i < STALL_COUNT; i++)
		if (mask & (uint32_t)1 << i)
			sum += s->stall[i];
	return sum;
}

double
load_cycles(const struct chip *c, uint16_t results)
{
	return (double)(WARP * c->schedulers) / results;
}

double
load_bound(double busy)
{
	return clamp01((busy - BUSY_LOW) / (BUSY_HIGH - BUSY_LOW));
}

double
load_dram(double read, double write)
{
	return read + write - READS_LESS * fmax(0, read - write);
}

double
load_lines(double sectors)
{
	if (!(sectors > 4))
		return 1;
	return sectors <= 16 ? sectors / 4 : 4 + (sectors - 16) / 16 * 28;
}

double
load_wavefronts(double requests, double sectors)
{
	if (!(requests > 0))
		return 0;
	return requests * load_lines(or_zero(sectors) / requests);
}

double
load_waves(const struct load *l)
{
	double sum = 0;

	for (int i = 0; i < USER_COUNT; i++)
		sum += l->wavefronts[i];
	return sum;
}

const char *
load_bound_name(const struct load *l)
{
	if (l->limit < 0)
		return NULL;
	return l->bound >= 0.5 ? resource_name[l->limit] : "latency";
}
