#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "wire/le.h"

#include "activity.h"
#include "budget.h"
#include "diag.h"
#include "emit.h"
#include "gate.h"
#include "gpu_lock.h"
#include "inject.h"
#include "module.h"
#include "nap.h"
#include "relax.h"
#include "sampling.h"
#include "window.h"

#define DEVICES 16
#define STALLS_MAX 64
#define NAME_SIZE 128			/* CUPTI writes up to so many bytes */
#define DRAIN_PCS 4096u			/* PCs fetched at a time */
#define KEEP_PCS 16384u		/* PCs that CUPTI keeps until sampling is turned off */
#define HARDWARE_BYTES (16u << 20)	/* device memory; on an H200 the launch that
					 * turns sampling on takes 72 ms with these
					 * two sizes, 95 ms with 64 MiB each */
#define SCRATCH_BYTES (8u << 20)
#define PERIOD 13u			/* 2^13 cycles: 4 us of an SM */
#define ENOUGH_SAMPLES 20000000ull
#define ENOUGH_NS 10000000000ull	/* time of sampling */
#define DRAIN_NS 300000000ull	/* between drains; CUPTI's own thread is not faster */
#define FINISH_NS 200000000ull	/* for the GPU to become idle, at exit */
#define OFF_WAIT_NS 1000000000ull	/* for the sender to release the lock */
#define VALUES_MAX 8192u		/* values in one SAMPLES record */

/* A buffer for samples, in CUPTI's layout. */
struct room {
	CUpti_PCSamplingData d;
	CUpti_PCSamplingStallReason *stalls;	/* for all its PCs */
};

/* One sampled context. */
struct sampler {
	CUcontext context;		/* NULL: free */
	uint32_t device;
	struct room keep;	/* configured in CUPTI as its buffer; read at the end */
	struct room drain;		/* passed to cuptiPCSamplingGetData */
	uint64_t since_ns, samples, dropped, foreign;	/* not sent yet */
	uint32_t full;
};

static struct {
	pthread_mutex_t lock;
	struct sampler all[DEVICES];
	_Atomic unsigned active;
	uint32_t stall[STALLS_MAX];
	size_t stalls;
	bool named;			/* STALL records were sent */
	char name[STALLS_MAX][NAME_SIZE];
	uint64_t drained_ns;
	_Atomic uint64_t samples, lasted_ns;
	_Atomic bool spoilt;	/* samples were lost since sampling was turned on */
} sampling = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool
sampling_active(void)
{

	return atomic_load_explicit(&sampling.active, memory_order_relaxed) >
	    0;
}

bool
sampling_enough(void)
{

	return atomic_load(&sampling.samples) >= ENOUGH_SAMPLES ||
	    atomic_load(&sampling.lasted_ns) >= ENOUGH_NS ||
	    atomic_load(&sampling.spoilt);
}

static int
learn_stalls(CUcontext context, const char **where)
{
	CUpti_PCSamplingGetNumStallReasonsParams n = {
	    .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
	    .ctx = context };
	CUpti_PCSamplingGetStallReasonsParams g = {
	    .size = CUpti_PCSamplingGetStallReasonsParamsSize,
	    .ctx = context };
	char *name[STALLS_MAX];
	size_t count = 0, i;
	int r;

	*where = "cuptiPCSamplingGetNumStallReasons";
	n.numStallReasons = &count;
	if ((r = (int)inject.api.cuptiPCSamplingGetNumStallReasons(&n)) !=
	    CUPTI_SUCCESS)
		return r;
	if (count == 0 || count > STALLS_MAX)
		return CUPTI_ERROR_NOT_SUPPORTED;
	for (i = 0; i < count; i++)
		name[i] = sampling.name[i];
	*where = "cuptiPCSamplingGetStallReasons";
	g.numStallReasons = count;
	g.stallReasonIndex = sampling.stall;
	g.stallReasons = name;
	sampling.stalls = count;
	return (int)inject.api.cuptiPCSamplingGetStallReasons(&g);
}

static void
room_free(struct room *m)
{

	free(m->d.pPcData);
	free(m->stalls);
	memset(m, 0, sizeof(*m));
}

static int
room_new(struct room *m, size_t pcs)
{

	memset(m, 0, sizeof(*m));
	m->d.size = sizeof(m->d);
	m->d.collectNumPcs = pcs;
	m->d.pPcData = calloc(pcs, sizeof(*m->d.pPcData));
	m->stalls = calloc(pcs * sampling.stalls, sizeof(*m->stalls));
	if (m->d.pPcData != NULL && m->stalls != NULL)
		return 0;
	room_free(m);
	return -1;
}

/* Resets a buffer before CUPTI writes into it: in the same fields CUPTI reads
 * capacities and returns counts. */
static void
room_clear(struct room *m)
{
	CUpti_PCSamplingPCData *pc = m->d.pPcData;
	size_t i;

	for (i = 0; i < m->d.collectNumPcs; i++) {
		pc[i] = (CUpti_PCSamplingPCData){ .size = sizeof(pc[i]),
		    .stallReasonCount = sampling.stalls,
		    .stallReason = m->stalls + i * sampling.stalls };
	}
	m->d.totalNumPcs = m->d.remainingNumPcs = 0;
	m->d.totalSamples = m->d.droppedSamples = 0;
	m->d.nonUsrKernelsTotalSamples = 0;
	m->d.hardwareBufferFull = 0;
}

static int
configure(struct sampler *s, const char **where)
{
	CUpti_PCSamplingConfigurationInfo c[6];
	CUpti_PCSamplingConfigurationInfoParams p = {
	    .size = CUpti_PCSamplingConfigurationInfoParamsSize,
	    .ctx = s->context, .numAttributes = 6,
	    .pPCSamplingConfigurationInfo = c };
	int i = 0, r;

	memset(c, 0, sizeof(c));
	c[i].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON;
	c[i].attributeData.stallReasonData.stallReasonCount = sampling.stalls;
	c[i++].attributeData.stallReasonData.pStallReasonIndex = sampling.stall;
	c[i].attributeType =
	    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
	c[i++].attributeData.collectionModeData.collectionMode =
	    CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
	c[i].attributeType =
	    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
	c[i++].attributeData.samplingPeriodData.samplingPeriod = PERIOD;
	c[i].attributeType =
	    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
	c[i++].attributeData.hardwareBufferSizeData.hardwareBufferSize =
	    HARDWARE_BYTES;
	c[i].attributeType =
	    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE;
	c[i++].attributeData.scratchBufferSizeData.scratchBufferSize =
	    SCRATCH_BYTES;
	c[i].attributeType =
	    CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
	c[i++].attributeData.samplingDataBufferData.samplingDataBuffer =
	    &s->keep.d;
	*where = "cuptiPCSamplingSetConfigurationAttribute";
	r = (int)inject.api.cuptiPCSamplingSetConfigurationAttribute(&p);
	for (i = 0; r == CUPTI_SUCCESS && i < 6; i++)
		r = (int)c[i].attributeStatus;
	return r;
}

static void
disable(CUcontext context)
{
	CUpti_PCSamplingDisableParams p = {
	    .size = CUpti_PCSamplingDisableParamsSize, .ctx = context };

	inject.api.cuptiPCSamplingDisable(&p);
}

static int
enable(struct sampler *s, const char **where)
{
	CUpti_PCSamplingEnableParams p = {
	    .size = CUpti_PCSamplingEnableParamsSize, .ctx = s->context };
	int r;

	*where = "cuptiPCSamplingEnable";
	if ((r = (int)inject.api.cuptiPCSamplingEnable(&p)) != CUPTI_SUCCESS)
		return r;
	/* Fetching samples crashes unless the stall reasons were queried and a buffer
	 * is configured. */
	if ((r = learn_stalls(s->context, where)) == CUPTI_SUCCESS &&
	    (room_new(&s->keep, KEEP_PCS) != 0 ||
	    room_new(&s->drain, DRAIN_PCS) != 0))
		r = CUPTI_ERROR_OUT_OF_MEMORY;
	if (r == CUPTI_SUCCESS) {
		room_clear(&s->keep);
		r = configure(s, where);
	}
	if (r != CUPTI_SUCCESS)
		disable(s->context);
	return r;
}

int
sampling_on(CUcontext context, uint32_t device, const char **where)
{
	struct sampler *s = NULL;
	int r = CUPTI_ERROR_NOT_SUPPORTED;
	unsigned i;

	*where = "cuptiPCSamplingEnable";
	/* Trylock: the sender may be inside CUPTI, which may wait for this thread. */
	if (pthread_mutex_trylock(&sampling.lock) != 0)
		return SAMPLING_LATER;
	/* CUPTI can sample one context per GPU: the first one is taken. */
	for (i = 0; i < DEVICES; i++) {
		if (sampling.all[i].context != NULL &&
		    sampling.all[i].device == device)
			break;
		if (sampling.all[i].context == NULL && s == NULL)
			s = &sampling.all[i];
	}
	if (i < DEVICES || s == NULL)
		goto out;
	memset(s, 0, sizeof(*s));
	s->context = context;
	s->device = device;
	s->since_ns = inject_now();
	atomic_store(&sampling.spoilt, false);
	if ((r = enable(s, where)) == CUPTI_SUCCESS) {
		atomic_fetch_add(&sampling.active, 1);
		gpu_lock_take(device);
	} else {
		room_free(&s->keep);
		room_free(&s->drain);
		s->context = NULL;
	}
out:
	pthread_mutex_unlock(&sampling.lock);
	return r;
}

static int
compare(const void *a, const void *b)
{
	const CUpti_PCSamplingPCData *x = a, *y = b;

	if (x->cubinCrc != y->cubinCrc)
		return x->cubinCrc < y->cubinCrc ? -1 : 1;
	if (x->functionIndex != y->functionIndex)
		return x->functionIndex < y->functionIndex ? -1 : 1;
	return x->pcOffset < y->pcOffset ? -1 : x->pcOffset > y->pcOffset;
}

static void
send_values(const CUpti_PCSamplingPCData *d, const uint8_t *blob, size_t n)
{
	struct record_SAMPLES r = { .cubin = (uint32_t)d->cubinCrc,
	    .symbol = d->functionIndex,
	    .function = wire_str_of(d->functionName) };

	r.values.p = blob;
	r.values.len = (uint32_t)n;
	EMIT(SAMPLES, &r);
}

/* Sends the samples of one function, in as many records as necessary. */
static void
send_function(const CUpti_PCSamplingPCData *d, size_t pcs)
{
	static uint8_t blob[VALUES_MAX * 12];	/* guarded by the lock */
	size_t i, k, n = 0;

	for (i = 0; i < pcs; i++)
		for (k = 0; k < d[i].stallReasonCount &&
		    k < sampling.stalls; k++) {
			if (d[i].stallReason[k].samples == 0)
				continue;
			le32_put(blob + n, (uint32_t)d[i].pcOffset);
			le32_put(blob + n + 4, d[i].stallReason[k].
			    pcSamplingStallReasonIndex);
			le32_put(blob + n + 8, d[i].stallReason[k].samples);
			if ((n += 12) == sizeof(blob)) {
				send_values(d, blob, n);
				n = 0;
			}
		}
	if (n > 0)
		send_values(d, blob, n);
	module_want(d->cubinCrc);
}

static void
send_names(void)
{
	struct record_STALL r = { 0 };
	size_t i;

	if (sampling.named)
		return;
	sampling.named = true;
	for (i = 0; i < sampling.stalls; i++) {
		r.id = sampling.stall[i];
		sampling.name[i][NAME_SIZE - 1] = '\0';
		r.name = wire_str_of(sampling.name[i]);
		EMIT(STALL, &r);
	}
}

static void
take(struct sampler *s, CUpti_PCSamplingData *d)
{
	size_t i, first, n = d->totalNumPcs < d->collectNumPcs ?
	    d->totalNumPcs : d->collectNumPcs;

	s->samples += d->totalSamples;
	s->dropped += d->droppedSamples;
	s->foreign += d->nonUsrKernelsTotalSamples;
	s->full += d->hardwareBufferFull != 0;
	atomic_fetch_add(&sampling.samples, d->totalSamples);
	if (n == 0)
		return;
	send_names();
	qsort(d->pPcData, n, sizeof(d->pPcData[0]), compare);
	for (i = first = 0; i < n; i++)
		if (i + 1 == n || d->pPcData[i + 1].cubinCrc !=
		    d->pPcData[first].cubinCrc || d->pPcData[i + 1].
		    functionIndex != d->pPcData[first].functionIndex) {
			send_function(d->pPcData + first, i + 1 - first);
			first = i + 1;
		}
	/* Function names may be shared with other records, so they are not freed. */
}

/* Sends the totals since the last call. */
static void
send_totals(struct sampler *s)
{
	struct record_SAMPLING r = { .device = s->device, .full = s->full,
	    .period = 1u << PERIOD, .samples = s->samples,
	    .dropped = s->dropped, .foreign = s->foreign,
	    .start_ns = s->since_ns, .end_ns = inject_now() };

	EMIT(SAMPLING, &r);
	atomic_fetch_add(&sampling.lasted_ns, r.end_ns - r.start_ns);
	s->since_ns = r.end_ns;
	s->samples = s->dropped = s->foreign = 0;
	s->full = 0;
}

/* Fetches all samples. Returns CUPTI's error code. */
static int
fetch(struct sampler *s)
{
	CUpti_PCSamplingGetDataParams p = {
	    .size = CUpti_PCSamplingGetDataParamsSize, .ctx = s->context,
	    .pcSamplingData = &s->drain.d };
	int r, tries;

	for (tries = 0; tries < 64; tries++) {
		room_clear(&s->drain);
		r = (int)inject.api.cuptiPCSamplingGetData(&p);
		take(s, &s->drain.d);
		if (r != CUPTI_SUCCESS || s->drain.d.remainingNumPcs == 0)
			return r;
	}
	return CUPTI_SUCCESS;
}

/* Reports an error of fetch(). */
static void
complain(const struct sampler *s, int r)
{

	if (r == CUPTI_ERROR_OUT_OF_MEMORY || s->full > 0)
		diag_report(DIAG_SAMPLING_FULL, SEVERITY_INFO, (uint32_t)r,
		    "cuptiPCSamplingGetData", "the buffer for PC samples "
		    "overflowed: its samples are lost");
	else if (r != CUPTI_SUCCESS)
		diag_refused(DIAG_SAMPLING_FAILED, "cuptiPCSamplingGetData", r);
	if (r != CUPTI_SUCCESS || s->full > 0)
		atomic_store(&sampling.spoilt, true);
}

/* Call with the lock held. */
static void
off(struct sampler *s)
{
	uint64_t begin = inject_now();

	complain(s, fetch(s));
	disable(s->context);
	take(s, &s->keep.d);
	send_totals(s);
	room_free(&s->keep);
	room_free(&s->drain);
	s->context = NULL;
	gpu_lock_release(s->device);
	atomic_fetch_sub(&sampling.active, 1);
	budget_spend(begin, OVERHEAD_SAMPLING);
}

bool
sampling_off(CUcontext context)
{
	uint64_t begin = inject_now();
	unsigned i;

	if (!sampling_active())
		return true;
	while (pthread_mutex_trylock(&sampling.lock) != 0)
		if (!nap_within(begin, OFF_WAIT_NS, 100000))
			return false;
	for (i = 0; i < DEVICES; i++)
		if (sampling.all[i].context == context)
			off(&sampling.all[i]);
	pthread_mutex_unlock(&sampling.lock);
	return true;
}

/* Sends the samples so far. Does not turn sampling off, since kernels may be running:
 * CUPTI would wait for them, and a launch that they wait for would wait for CUPTI. The
 * next launch turns it off. */
static void
drain(struct sampler *s)
{

	complain(s, fetch(s));
	send_totals(s);
}

void
sampling_drain(void)
{
	uint64_t now = inject_now();
	unsigned i;

	if (!sampling_active() || atomic_load(&sampling.spoilt) ||
	    now - sampling.drained_ns < DRAIN_NS)
		return;
	sampling.drained_ns = now;
	/* Sampling is being turned on or off: skip this time. */
	if (!activity_pause())
		return;
	relax_begin();		/* this is the sender thread */
	if (pthread_mutex_trylock(&sampling.lock) == 0) {
		for (i = 0; i < DEVICES; i++)
			if (sampling.all[i].context != NULL)
				drain(&sampling.all[i]);
		pthread_mutex_unlock(&sampling.lock);
	}
	activity_resume();
}

/* The program's last work has usually ended by now. If not, it may never end. */
static bool
is_idle(const struct sampler *s)
{
	bool idle, taken = window_try();

	/* After window_shut the window is held for good. */
	if (!taken && !window_is_shut())
		return false;
	idle = gate_close(s->device, 0) && gate_drain(s->context,
	    s->device, FINISH_NS);
	if (!idle)
		gate_open();
	if (taken)
		window_release();
	return idle;
}

void
sampling_finish(void)
{
	unsigned i;

	if (!sampling_active())
		return;
	relax_begin();		/* this is the sender thread */
	pthread_mutex_lock(&sampling.lock);
	for (i = 0; i < DEVICES; i++)
		if (sampling.all[i].context == NULL)
			continue;
		else if (is_idle(&sampling.all[i])) {
			off(&sampling.all[i]);
			gate_open();
		} else		/* the program leaves a kernel running */
			drain(&sampling.all[i]);
	pthread_mutex_unlock(&sampling.lock);
}
