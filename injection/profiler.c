#include <stdlib.h>
#include <string.h>

#include "inject.h"
#include "profiler.h"

/* Assumed cost of the first pass until it was timed: 44 ms on an H200, where it counts
 * DRAM and L2. */
#define FIRST_PASS_NS 50000000u

#define PARAMS(type, name) type name = { .structSize = type##_STRUCT_SIZE }

static int
enable(struct profiler *p, const struct metrics *m, size_t config,
    const char **where)
{
	PARAMS(CUpti_RangeProfiler_Enable_Params, e);
	PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, s);
	PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, i);
	int r;

	p->metrics = m;
	p->config = &m->config[config];
	p->pass = p->config->base;
	e.ctx = p->context;
	*where = "cuptiRangeProfilerEnable";
	if ((r = (int)inject.api.cuptiRangeProfilerEnable(&e)) !=
	    CUPTI_SUCCESS)
		return r;
	p->object = e.pRangeProfilerObject;
	*where = "cuptiRangeProfilerGetCounterDataSize";
	s.pRangeProfilerObject = p->object;
	s.pMetricNames = (const char **)(uintptr_t)
	    &m->name[p->config->first];
	s.numMetrics = p->config->count;
	s.maxNumOfRanges = 1;
	s.maxNumRangeTreeNodes = 1;
	if ((r = (int)inject.api.cuptiRangeProfilerGetCounterDataSize(&s)) !=
	    CUPTI_SUCCESS)
		return r;
	profiler_free(p);
	p->size = s.counterDataSize;
	p->pristine = malloc(p->size);
	p->image = malloc(p->size);
	if (p->pristine == NULL || p->image == NULL)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	/* The image is tied to the latest size query: CUPTI refuses an image of another
	 * size. */
	*where = "cuptiRangeProfilerCounterDataImageInitialize";
	i.pRangeProfilerObject = p->object;
	i.counterDataSize = p->size;
	i.pCounterData = p->pristine;
	return (int)inject.api.cuptiRangeProfilerCounterDataImageInitialize(
	    &i);
}

int
profiler_disable(struct profiler *p, const char **where)
{
	PARAMS(CUpti_RangeProfiler_Disable_Params, d);

	if (p->object == NULL)
		return CUPTI_SUCCESS;
	*where = "cuptiRangeProfilerDisable";
	d.pRangeProfilerObject = p->object;
	p->object = NULL;
	return (int)inject.api.cuptiRangeProfilerDisable(&d);
}

/* CUPTI replays kernels in automatic ranges only. */
static bool
auto_range(void)
{

	return inject.replay;
}

static int
start(struct profiler *p, const char **where)
{
	PARAMS(CUpti_RangeProfiler_SetConfig_Params, c);
	PARAMS(CUpti_RangeProfiler_Start_Params, s);
	PARAMS(CUpti_RangeProfiler_PushRange_Params, u);
	int r;

	*where = "cuptiRangeProfilerSetConfig";
	c.pRangeProfilerObject = p->object;
	c.configSize = p->config->size;
	c.pConfig = p->config->image;
	c.counterDataImageSize = p->size;
	c.pCounterDataImage = p->image;
	c.range = auto_range() ? CUPTI_AutoRange : CUPTI_UserRange;
	c.replayMode = inject.replay ? CUPTI_KernelReplay : CUPTI_UserReplay;
	c.maxRangesPerPass = 1;
	c.numNestingLevels = 1;
	c.minNestingLevel = 1;
	c.passIndex = p->pass - p->config->base;
	c.targetNestingLevel = 1;
	if ((r = (int)inject.api.cuptiRangeProfilerSetConfig(&c)) !=
	    CUPTI_SUCCESS)
		return r;
	*where = "cuptiRangeProfilerStart";
	s.pRangeProfilerObject = p->object;
	if ((r = (int)inject.api.cuptiRangeProfilerStart(&s)) !=
	    CUPTI_SUCCESS || auto_range())
		return r;
	*where = "cuptiRangeProfilerPushRange";
	u.pRangeProfilerObject = p->object;
	u.pRangeName = "k";
	return (int)inject.api.cuptiRangeProfilerPushRange(&u);
}

static int
stop(struct profiler *p, bool *dropped, const char **where)
{
	PARAMS(CUpti_RangeProfiler_PopRange_Params, o);
	PARAMS(CUpti_RangeProfiler_Stop_Params, s);
	PARAMS(CUpti_RangeProfiler_DecodeData_Params, d);
	int r = CUPTI_SUCCESS, stopped;

	*where = "cuptiRangeProfilerPopRange";
	o.pRangeProfilerObject = p->object;
	if (!auto_range())
		r = (int)inject.api.cuptiRangeProfilerPopRange(&o);
	s.pRangeProfilerObject = p->object;
	stopped = (int)inject.api.cuptiRangeProfilerStop(&s);
	if (r == CUPTI_SUCCESS && stopped != CUPTI_SUCCESS) {
		*where = "cuptiRangeProfilerStop";
		r = stopped;
	}
	if (stopped == CUPTI_SUCCESS)
		p->pass = p->config->base + s.passIndex % p->config->passes;
	if (r != CUPTI_SUCCESS)
		return r;
	*where = "cuptiRangeProfilerDecodeData";
	d.pRangeProfilerObject = p->object;
	r = (int)inject.api.cuptiRangeProfilerDecodeData(&d);
	*dropped = d.numOfRangeDropped != 0;
	return r;
}

/* A new estimate from the last one and a measurement. A slow outlier, even the first,
 * moves the estimate only half the way. */
static uint64_t
estimate(uint64_t before, uint64_t ns)
{

	return ns > before && before != 0 ? before + (ns - before) / 2 : ns;
}

int
profiler_start(struct profiler *p, const char **where)
{
	uint64_t begin = inject_now();
	int r = start(p, where);

	p->begun_ns = inject_now() - begin;
	return r;
}

int
profiler_stop(struct profiler *p, bool *dropped, const char **where)
{
	uint64_t begin = inject_now(), closing;
	size_t pass = p->pass;
	int r = stop(p, dropped, where);

	closing = inject_now() - begin;
	p->close_ns[pass] = estimate(p->close_ns[pass], closing);
	p->cost_ns[pass] = estimate(p->cost_ns[pass], p->begun_ns + closing);
	return r;
}

/* Collects a pass with no kernel. After counts by instruction CUPTI fails to decode
 * such a window, but goes on to the next pass all the same. */
static int
empty_window(struct profiler *p, const char **where)
{
	bool dropped;
	int r;

	memcpy(p->image, p->pristine, p->size);
	if ((r = profiler_start(p, where)) == CUPTI_SUCCESS)
		r = profiler_stop(p, &dropped, where);
	return r == CUPTI_ERROR_UNKNOWN ? CUPTI_SUCCESS : r;
}

int
profiler_turn(struct profiler *p, size_t pass, const char **where)
{
	size_t left;
	int r;

	for (left = p->config->passes; p->pass != pass && left > 0; left--)
		if ((r = empty_window(p, where)) != CUPTI_SUCCESS)
			return r;
	return CUPTI_SUCCESS;
}

size_t
profiler_after(const struct profiler *p, size_t pass)
{
	const struct metrics_config *c = p->config;

	return c->base + (pass - c->base + 1) % c->passes;
}

uint64_t
profiler_turn_ns(const struct profiler *p, size_t pass)
{
	uint64_t ns = 0;
	size_t i;

	for (i = p->pass; i != pass; i = profiler_after(p, i))
		ns += p->cost_ns[i];
	return ns;
}

/* Collects each pass once. The first window pays the one-time costs, so the cost of its
 * pass is still unknown. */
static int
go_round(struct profiler *p, const char **where)
{
	size_t first = p->config->base;
	int r;

	if ((r = empty_window(p, where)) != CUPTI_SUCCESS)
		return r;
	r = profiler_turn(p, first, where);
	/* Only pass 0 counts DRAM and L2: another first pass costs as much as the pass
	 * after it. */
	p->cost_ns[first] = first == 0 || p->config->passes == 1 ?
	    FIRST_PASS_NS : p->cost_ns[profiler_after(p, first)];
	return r;
}

int
profiler_enable(struct profiler *p, const struct metrics *m,
    size_t config, const char **where)
{
	int r = enable(p, m, config, where);

	return r != CUPTI_SUCCESS || auto_range() ? r : go_round(p, where);
}

void
profiler_free(struct profiler *p)
{

	free(p->pristine);
	free(p->image);
	p->pristine = p->image = NULL;
}
