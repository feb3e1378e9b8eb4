#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock_internal.h"

#define REFUSALS 64		/* entries of MOCK_REFUSE, and as many of
				 * MOCK_SLOW */

/* One entry of MOCK_REFUSE. */
struct refusal {
	char function[80];
	int code;
	uint64_t from;		/* call number, 1: the first */
	uint64_t calls;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct refusal refusal[REFUSALS];
static size_t refusals;
static struct refusal slow[REFUSALS];	/* ${code}: milliseconds */
static size_t slows;
static bool parsed;
static FILE *trace;

uint64_t
mock_env(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text != NULL && *text != '\0' ? strtoull(text, NULL, 10) :
	    otherwise;
}

uint64_t
mock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* FNV-1a. */
uint64_t
mock_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text != '\0'; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3u;
	return h;
}

/* Aborts: with a mistyped entry a test would pass without testing anything. */
static void
bad_refusal(const char *name, const char *text)
{
	fprintf(stderr, "mock: %s: %s: not function=number[@n]\n", name,
	    text);
	abort();
}

/* Parses the variable ${name} into ${list}; returns the number of entries. */
static size_t
parse_list(const char *name, struct refusal *list)
{
	const char *p = getenv(name);
	size_t count = 0, n, k;
	struct refusal *r;
	char *end;

	while (p != NULL && *p != '\0' && count < REFUSALS) {
		r = &list[count++];
		n = strcspn(p, ",");
		k = strcspn(p, "=");
		if (k >= n || k == 0 || k >= sizeof(r->function))
			bad_refusal(name, p);
		memcpy(r->function, p, k);
		r->function[k] = '\0';
		r->code = (int)strtol(p + k + 1, &end, 10);
		r->from = 1;
		if (*end == '@')
			r->from = strtoull(end + 1, &end, 10);
		if (end != p + n)
			bad_refusal(name, p);
		p += n + (p[n] == ',');
	}
	return count;
}

static void
parse(void)
{
	const char *file = getenv("MOCK_TRACE");

	parsed = true;
	if (file != NULL && *file != '\0' &&
	    (trace = fopen(file, "ae")) != NULL)
		setvbuf(trace, NULL, _IOLBF, 0);
	refusals = parse_list("MOCK_REFUSE", refusal);
	slows = parse_list("MOCK_SLOW", slow);
}

/* The code of the last entry for this call; 0: none. */
static int
look_up(struct refusal *list, size_t count, const char *function)
{
	int code = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(list[i].function, function) == 0 &&
		    ++list[i].calls >= list[i].from)
			code = list[i].code;
	return code;
}

void
mock_say(const char *what, const char *function)
{
	pthread_mutex_lock(&lock);
	if (!parsed)
		parse();
	if (trace != NULL)
		fprintf(trace, "%s %s\n", what, function);
	pthread_mutex_unlock(&lock);
}

/* Whether this call may allocate, synchronise or load code. */
static bool
is_unsafe(const char *function)
{
	static const char *const start[] = { "cuCtxSynchronize",
	    "cuFuncGetAttribute", "cuKernelGetAttribute", "cuStreamQuery",
	    "cuptiPCSampling", "cuptiProfilerInitialize", "cuptiRangeProfiler",
	    "cuptiSassMetrics" };
	size_t i;

	for (i = 0; i < sizeof(start) / sizeof(start[0]); i++)
		if (strncmp(function, start[i], strlen(start[i])) == 0)
			return true;
	return false;
}

int
mock_refused(const char *function)
{
	struct timespec nap;
	int code, ms;

	pthread_mutex_lock(&lock);
	if (!parsed)
		parse();
	if (trace != NULL)
		fprintf(trace, "%s\n", function);
	if (trace != NULL && is_unsafe(function) && !mock_relaxed())
		fprintf(trace, "unrelaxed %s\n", function);
	code = look_up(refusal, refusals, function);
	ms = look_up(slow, slows, function);
	pthread_mutex_unlock(&lock);
	if (ms > 0) {
		nap = (struct timespec){ ms / 1000, ms % 1000 * 1000000L };
		nanosleep(&nap, NULL);
	}
	return code;
}

/* Kept here because the trace reports unsafe calls that were not in relaxed mode. */
static _Thread_local CUstreamCaptureMode capture_mode;

CUresult
cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before = capture_mode;

	MOCK_ENTER();
	capture_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

bool
mock_relaxed(void)
{
	return capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}
