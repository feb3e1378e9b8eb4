/*
 * PC sampling, continuous mode. Every launch in a sampled context adds samples to
 * instructions of its kernel, but not if SASS metrics patched the kernel before: as
 * seen on an H200, its samples cannot be attributed then. GetData drains the samples.
 * A buffer that overflowed stays full until sampling is disabled and enabled again;
 * samples that were not drained by then go into the configured buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "mock_internal.h"

#define STALL(name) "smsp__pcsamp_warps_issue_stalled_" name
#define BOTH(name) STALL(name), STALL(name "_not_issued")
#define PER_LAUNCH 4096u	/* samples at most */

/* The stall reasons' names, by index. */
static const char *const stall[] = {
	"smsp__pcsamp_sample_count", "smsp__pcsamp_samples_data_dropped",
	BOTH("barrier"), BOTH("branch_resolving"), BOTH("dispatch_stall"),
	BOTH("drain"), BOTH("imc_miss"), BOTH("lg_throttle"),
	BOTH("long_scoreboard"), BOTH("math_pipe_throttle"), BOTH("membar"),
	BOTH("mio_throttle"), BOTH("misc"), BOTH("no_instructions"),
	BOTH("not_selected"), BOTH("selected"), BOTH("short_scoreboard"),
	BOTH("sleeping"), BOTH("tex_throttle"), BOTH("wait"),
	BOTH("warpgroup_arrive"),
};
#define STALLS (sizeof(stall) / sizeof(*stall))
#define STALL_FIRST 2u		/* lower indices are sums, not reasons */

struct place {
	const struct mock_code *code;
	uint32_t pc;
	uint32_t samples[STALLS];
	uint64_t total;
};

struct mock_sampling {
	bool queried;		/* the client has queried the reasons */
	bool control, started;	/* controlled by Start and Stop */
	bool full;
	uint32_t period;	/* exponent */
	size_t hardware, scratch;
	uint32_t sleep_ms;
	CUpti_PCSamplingCollectionMode mode;
	bool wanted[STALLS];
	CUpti_PCSamplingData *buffer;
	struct place *place;
	size_t places, room;
	uint64_t foreign, dropped, calls, counter;
};

static struct mock_context *sampled[MOCK_DEVICES];

#define NEED(p, type) do {						\
	MOCK_ENTER();							\
	if ((p) == NULL || (p)->size != type##Size || (p)->pPriv != NULL) \
		return CUPTI_ERROR_INVALID_PARAMETER;			\
} while (0)

/* sampling_of(handle): sampling of a context, or NULL; call with the lock held. */
static struct mock_sampling *
sampling_of(CUcontext handle)
{
	struct mock_context *c = (struct mock_context *)handle;

	return c != NULL && c->magic == MOCK_MAGIC ? c->sampling : NULL;
}

/* --- on and off ------------------------------------------------------------- */

CUptiResult
cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *p)
{
	struct mock_context *c;
	struct mock_sampling *s;
	CUptiResult rc = CUPTI_SUCCESS;
	bool ranging;

	NEED(p, CUpti_PCSamplingEnableParams);
	c = (struct mock_context *)p->ctx;
	if (c == NULL || c->magic != MOCK_MAGIC)
		return CUPTI_ERROR_INVALID_CONTEXT;
	mock_alone(c, __func__);
	ranging = mock_ranging(c->device);
	pthread_mutex_lock(&mock_source_lock);
	if (sampled[c->device] != NULL) {
		rc = CUPTI_ERROR_INVALID_OPERATION;	/* only one for each device */
	} else if (ranging || (mock_exclusive() && c->sass != NULL)) {
		rc = CUPTI_ERROR_NOT_COMPATIBLE;
	} else if ((s = calloc(1, sizeof(*s))) == NULL) {
		rc = CUPTI_ERROR_OUT_OF_MEMORY;
	} else {
		s->period = 12;
		s->hardware = (size_t)512 << 20;
		s->scratch = 1 << 20;
		s->sleep_ms = 100;
		s->mode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
		memset(s->wanted, 1, sizeof(s->wanted));
		c->sampling = s;
		c->instrumented = true;
		sampled[c->device] = c;
	}
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

/* --- settings ---------------------------------------------------------------- */

/* A buffer that the mock can write every record into. */
static bool
usable(const CUpti_PCSamplingData *d)
{
	size_t i;

	if (d == NULL || d->size != sizeof(*d) || d->collectNumPcs == 0 ||
	    d->pPcData == NULL)
		return false;
	for (i = 0; i < d->collectNumPcs; i++)
		if (d->pPcData[i].size != sizeof(*d->pPcData) ||
		    d->pPcData[i].stallReason == NULL)
			return false;
	return true;
}

static bool
want_stalls(struct mock_sampling *s, size_t n, const uint32_t *index)
{
	size_t i;

	if (n == 0 || n > STALLS || index == NULL)
		return false;
	memset(s->wanted, 0, sizeof(s->wanted));
	for (i = 0; i < n; i++) {
		if (index[i] >= STALLS)
			return false;
		s->wanted[index[i]] = true;
	}
	return true;
}

static CUptiResult
set_one(struct mock_sampling *s, const CUpti_PCSamplingConfigurationInfo *i)
{
	uint32_t period = i->attributeData.samplingPeriodData.samplingPeriod;
	bool ok = true;

	switch ((int)i->attributeType) {
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
		if ((ok = period >= 5 && period <= 31))
			s->period = period;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON:
		ok = want_stalls(s,
		    i->attributeData.stallReasonData.stallReasonCount,
		    i->attributeData.stallReasonData.pStallReasonIndex);
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE:
		s->scratch =
		    i->attributeData.scratchBufferSizeData.scratchBufferSize;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE:
		s->hardware =
		    i->attributeData.hardwareBufferSizeData.hardwareBufferSize;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE:
		s->mode = i->attributeData.collectionModeData.collectionMode;
		ok = s->mode == CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS ||
		    s->mode ==
		    CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL:
		s->control = i->attributeData.enableStartStopControlData
		    .enableStartStopControl != 0;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT:
		ok = i->attributeData.outputDataFormatData.outputDataFormat ==
		    CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER:
		s->buffer =
		    i->attributeData.samplingDataBufferData.samplingDataBuffer;
		ok = usable(s->buffer);
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN:
		s->sleep_ms = i->attributeData.workerThreadPeriodicSleepSpanData
		    .workerThreadPeriodicSleepSpan;
		break;
	default:
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	return ok ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

static CUptiResult
get_one(const struct mock_sampling *s, CUpti_PCSamplingConfigurationInfo *i)
{
	switch ((int)i->attributeType) {
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
		i->attributeData.samplingPeriodData.samplingPeriod = s->period;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE:
		i->attributeData.scratchBufferSizeData.scratchBufferSize =
		    s->scratch;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE:
		i->attributeData.hardwareBufferSizeData.hardwareBufferSize =
		    s->hardware;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE:
		i->attributeData.collectionModeData.collectionMode = s->mode;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL:
		i->attributeData.enableStartStopControlData
		    .enableStartStopControl = s->control;
		break;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN:
		i->attributeData.workerThreadPeriodicSleepSpanData
		    .workerThreadPeriodicSleepSpan = s->sleep_ms;
		break;
	default:
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	return CUPTI_SUCCESS;
}

static CUptiResult
configure(CUpti_PCSamplingConfigurationInfoParams *p, bool set)
{
	CUpti_PCSamplingConfigurationInfo *i;
	struct mock_sampling *s;
	CUptiResult rc = CUPTI_SUCCESS;
	size_t k;

	if (p->pPCSamplingConfigurationInfo == NULL || p->numAttributes == 0)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&mock_source_lock);
	if ((s = sampling_of(p->ctx)) == NULL)
		rc = CUPTI_ERROR_INVALID_OPERATION;
	for (k = 0; s != NULL && k < p->numAttributes; k++) {
		i = &p->pPCSamplingConfigurationInfo[k];
		i->attributeStatus = set ? set_one(s, i) : get_one(s, i);
		if (i->attributeStatus != CUPTI_SUCCESS)
			rc = CUPTI_ERROR_INVALID_PARAMETER;
	}
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

CUptiResult
cuptiPCSamplingSetConfigurationAttribute(
    CUpti_PCSamplingConfigurationInfoParams *p)
{
	NEED(p, CUpti_PCSamplingConfigurationInfoParams);
	return configure(p, true);
}

CUptiResult
cuptiPCSamplingGetConfigurationAttribute(
    CUpti_PCSamplingConfigurationInfoParams *p)
{
	NEED(p, CUpti_PCSamplingConfigurationInfoParams);
	return configure(p, false);
}

CUptiResult
cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *p)
{
	NEED(p, CUpti_PCSamplingGetNumStallReasonsParams);
	if (p->numStallReasons == NULL)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*p->numStallReasons = STALLS;
	return CUPTI_SUCCESS;
}

/* Fills each buffer, and returns the reasons unordered, as CUPTI does. */
CUptiResult
cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *p)
{
	struct mock_sampling *s;
	size_t i, k;

	NEED(p, CUpti_PCSamplingGetStallReasonsParams);
	if (p->numStallReasons != STALLS || p->stallReasonIndex == NULL ||
	    p->stallReasons == NULL)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; i < STALLS; i++) {
		k = (i * 7 + 3) % STALLS;
		p->stallReasonIndex[i] = (uint32_t)k;
		strncpy(p->stallReasons[i], stall[k],
		    CUPTI_STALL_REASON_STRING_SIZE);
	}
	pthread_mutex_lock(&mock_source_lock);
	if ((s = sampling_of(p->ctx)) != NULL)
		s->queried = true;
	pthread_mutex_unlock(&mock_source_lock);
	return CUPTI_SUCCESS;
}

static CUptiResult
control(CUcontext context, bool on)
{
	struct mock_sampling *s;
	CUptiResult rc = CUPTI_SUCCESS;

	pthread_mutex_lock(&mock_source_lock);
	if ((s = sampling_of(context)) == NULL || !s->control ||
	    s->started == on)
		rc = CUPTI_ERROR_INVALID_OPERATION;
	else
		s->started = on;
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

CUptiResult
cuptiPCSamplingStart(CUpti_PCSamplingStartParams *p)
{
	NEED(p, CUpti_PCSamplingStartParams);
	return control(p->ctx, true);
}

CUptiResult
cuptiPCSamplingStop(CUpti_PCSamplingStopParams *p)
{
	NEED(p, CUpti_PCSamplingStopParams);
	return control(p->ctx, false);
}

/* --- samples ------------------------------------------------------------------ */

static struct place *
place_of(struct mock_sampling *s, const struct mock_code *code, uint32_t pc)
{
	size_t i;

	for (i = 0; i < s->places; i++)
		if (s->place[i].code == code && s->place[i].pc == pc)
			return &s->place[i];
	if (s->places == s->room) {
		s->room = s->room == 0 ? 64 : 2 * s->room;
		s->place = realloc(s->place, s->room * sizeof(*s->place));
		if (s->place == NULL)
			abort();
	}
	s->place[s->places] = (struct place){ .code = code, .pc = pc };
	return &s->place[s->places++];
}

/* Adds as many samples as a kernel of this duration has on 100 multiprocessors
 * at 1.5 GHz, at few instructions: those of a loop, with its stall reason. */
void
mock_sampling_launched(struct mock_context *c, const struct mock_launch *l)
{
	const struct mock_code *code = mock_code_of(l->function->name);
	struct mock_sampling *s;
	struct place *p;
	uint64_t n, i, h;
	uint32_t many, reason;
	size_t place;

	pthread_mutex_lock(&mock_source_lock);
	s = c->sampling;
	if (s != NULL && s->queried && s->buffer != NULL && !s->full &&
	    (!s->control || s->started)) {
		n = (l->function->duration_ns * 150 >> s->period) + 1;
		s->foreign++;
		if (n > PER_LAUNCH) {
			s->dropped += n - PER_LAUNCH;
			n = PER_LAUNCH;
		}
		many = code != NULL && !c->moved[code - mock_codes(&place)] ?
		    code->size / MOCK_INSTRUCTION : 0;
		for (i = 0; i < n && many > 0; i++) {
			h = s->counter++ * 0x9e3779b97f4a7c15u >> 40;
			p = place_of(s, code, (uint32_t)(h % many / 4 * 4) *
			    MOCK_INSTRUCTION);
			reason = STALL_FIRST + (uint32_t)((h ^ p->pc) >> 4) %
			    (STALLS - STALL_FIRST);
			p->total++;
			p->samples[reason]++;
		}
		if (many == 0)
			s->foreign += n;
	}
	pthread_mutex_unlock(&mock_source_lock);
}

/* All records of the function share the name: the client must not free it. */
static void
give(const struct mock_sampling *s, const struct place *p,
    CUpti_PCSamplingPCData *d)
{
	uint32_t i;

	d->cubinCrc = mock_crc();
	d->pcOffset = p->pc;
	d->functionIndex = p->code->symbol;
	d->functionName = (char *)(uintptr_t)p->code->name;
	d->correlationId = 0;
	d->stallReasonCount = 0;
	for (i = 0; i < STALLS; i++)
		if (p->samples[i] > 0 && s->wanted[i])
			d->stallReason[d->stallReasonCount++] =
			    (CUpti_PCSamplingStallReason){
			    .pcSamplingStallReasonIndex = i,
			    .samples = p->samples[i] };
}

static void
drain(struct mock_sampling *s, CUpti_PCSamplingData *d)
{
	size_t n = s->places < d->collectNumPcs ? s->places : d->collectNumPcs;
	size_t i;

	d->droppedSamples = s->dropped;
	d->nonUsrKernelsTotalSamples = s->foreign;
	d->totalSamples = s->dropped + s->foreign;
	d->totalNumPcs = 0;
	for (i = 0; i < n; i++) {
		d->totalSamples += s->place[i].total;
		give(s, &s->place[i], &d->pPcData[d->totalNumPcs++]);
	}
	if (n > 0)
		memmove(s->place, s->place + n, (s->places - n) *
		    sizeof(*s->place));
	s->places -= n;
	d->remainingNumPcs = s->places;
	s->dropped = s->foreign = 0;
	d->rangeId = 0;
	d->hardwareBufferFull = 0;
}

CUptiResult
cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *p)
{
	uint64_t every = mock_env("MOCK_SAMPLING_FULL", 0);
	CUpti_PCSamplingData *d;
	struct mock_sampling *s;
	CUptiResult rc = CUPTI_SUCCESS;

	NEED(p, CUpti_PCSamplingGetDataParams);
	d = p->pcSamplingData;
	pthread_mutex_lock(&mock_source_lock);
	if ((s = sampling_of(p->ctx)) == NULL || !s->queried ||
	    s->buffer == NULL) {
		rc = CUPTI_ERROR_INVALID_OPERATION;
	} else if (!usable(d) || d == s->buffer) {
		rc = CUPTI_ERROR_INVALID_PARAMETER;
	} else {
		s->full |= every > 0 && ++s->calls % every == 0;
		s->dropped += mock_env("MOCK_SAMPLING_DROP", 0);
		if (s->full)
			s->places = 0;
		drain(s, d);
		d->hardwareBufferFull = s->full;
		if (s->full)
			rc = CUPTI_ERROR_OUT_OF_MEMORY;
	}
	pthread_mutex_unlock(&mock_source_lock);
	return rc;
}

CUptiResult
cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *p)
{
	struct mock_context *c = (struct mock_context *)p->ctx;
	struct mock_sampling *s;

	NEED(p, CUpti_PCSamplingDisableParams);
	if (c != NULL && c->magic == MOCK_MAGIC)
		mock_alone(c, __func__);
	pthread_mutex_lock(&mock_source_lock);
	if ((s = sampling_of(p->ctx)) != NULL) {
		if (s->buffer != NULL)
			drain(s, s->buffer);
		sampled[c->device] = NULL;
		c->sampling = NULL;
		free(s->place);
		free(s);
	}
	pthread_mutex_unlock(&mock_source_lock);
	return s != NULL ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

void
mock_sampling_gone(struct mock_context *c)
{
	pthread_mutex_lock(&mock_source_lock);
	if (c->sampling != NULL) {
		sampled[c->device] = NULL;
		free(c->sampling->place);
		free(c->sampling);
		c->sampling = NULL;
	}
	pthread_mutex_unlock(&mock_source_lock);
}
