#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "diag.h"
#include "emit.h"
#include "inject.h"

#define DIAG_KEPT 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t seen[DIAG_KEPT];
static unsigned seens;

static int
seen_before(uint64_t key)
{
	unsigned i;
	int found = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < seens; i++)
		found |= seen[i] == key;
	if (!found && seens == DIAG_KEPT)
		found = 1;
	if (!found)
		seen[seens++] = key;
	pthread_mutex_unlock(&lock);
	return found;
}

void
diag_report(enum wire_diag code, enum wire_severity severity, uint32_t error,
    const char *where, const char *text)
{
	struct record_DIAGNOSTIC r = { .code = code, .severity = severity,
	    .error = error, .now_ns = inject_now(),
	    .where = wire_str_of(where), .text = wire_str_of(text) };

	if (seen_before(XXH64(r.where.p, r.where.len,
	    (uint64_t)code << 32 | error)))
		return;
	EMIT(DIAGNOSTIC, &r);
}

/* The known causes and remedies of CUPTI's error codes. */
static const struct {
	int result;
	enum wire_diag code;
	enum wire_severity severity;
	const char *text;
} refusal[] = {
	{ CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, DIAG_PERMISSION,
	    SEVERITY_WARNING,
	    "the driver grants performance counters to administrators only" },
	{ CUPTI_ERROR_HARDWARE_BUSY, DIAG_HARDWARE_BUSY, SEVERITY_WARNING,
	    "another tool holds this GPU's counters (DCGM, Nsight, another "
	    "profiler). If it is DCGM: 'dcgmi profile --pause', run again, "
	    "'dcgmi profile --resume'" },
	{ CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, DIAG_SUBSCRIBER,
	    SEVERITY_ERROR,
	    "another profiler is active in this process, which can have only "
	    "one. Run without it (Nsight, torch.profiler, another injection library)" },
	{ CUPTI_ERROR_NOT_INITIALIZED, DIAG_DRIVER_OLD, SEVERITY_ERROR,
	    "CUPTI does not start on this driver: it needs the driver of its "
	    "own CUDA version or a newer one" },
	{ CUPTI_ERROR_NOT_SUPPORTED, DIAG_UNSUPPORTED_GPU, SEVERITY_WARNING,
	    "not supported on this GPU or configuration" },
	{ CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, DIAG_UNSUPPORTED_GPU,
	    SEVERITY_WARNING, "not supported on this virtual GPU" },
	{ CUPTI_ERROR_CDP_TRACING_NOT_SUPPORTED, DIAG_ACTIVITY_FAILED,
	    SEVERITY_WARNING, "dynamic parallelism is not traced" },
	{ CUPTI_ERROR_OUT_OF_MEMORY, DIAG_COUNTER_FAILED, SEVERITY_WARNING,
	    "CUPTI ran out of memory" },
};

void
diag_cupti(const char *where, int r)
{
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(refusal) / sizeof(refusal[0]); i++)
		if (refusal[i].result == r) {
			diag_report(refusal[i].code, refusal[i].severity,
			    (uint32_t)r, where, refusal[i].text);
			return;
		}
	snprintf(text, sizeof(text), "%s failed: %s (%d)", where,
	    cupti_api_error(&inject.api, (CUptiResult)r), r);
	diag_report(DIAG_CALL_FAILED, SEVERITY_WARNING, (uint32_t)r, where,
	    text);
}

void
diag_refused(enum wire_diag code, const char *where, int r)
{
	const char *why = cupti_api_error(&inject.api, (CUptiResult)r);
	char text[700];
	size_t i;

	for (i = 0; i < sizeof(refusal) / sizeof(refusal[0]); i++)
		if (refusal[i].result == r)
			why = refusal[i].text;
	snprintf(text, sizeof(text), "%s failed (%d): %s", where, r, why);
	diag_report(code, SEVERITY_WARNING, (uint32_t)r, where, text);
}
