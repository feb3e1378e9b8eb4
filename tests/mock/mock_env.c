#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock_internal.h"

#define REFUSALS 64

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
static bool parsed;
static FILE *trace;

uint64_t
mock_env(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return (text != NULL && *text != '\0' ? strtoull(text, NULL, 10) :
	    otherwise);
}

uint64_t
mock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

/* FNV-1a. */
uint64_t
mock_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text != '\0'; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3u;
	return (h);
}

/* A typing error in MOCK_REFUSE would make a test pass for nothing: stop. */
static void
bad_refusal(const char *text)
{
	fprintf(stderr, "mock: MOCK_REFUSE: %s: not function=code[@n]\n",
	    text);
	abort();
}

static void
parse(void)
{
	const char *p = getenv("MOCK_REFUSE"), *file = getenv("MOCK_TRACE");
	struct refusal *r;
	size_t n, k;
	char *end;

	parsed = true;
	if (file != NULL && *file != '\0' &&
	    (trace = fopen(file, "ae")) != NULL)
		setvbuf(trace, NULL, _IOLBF, 0);
	while (p != NULL && *p != '\0' && refusals < REFUSALS) {
		r = &refusal[refusals++];
		n = strcspn(p, ",");
		k = strcspn(p, "=");
		if (k >= n || k == 0 || k >= sizeof(r->function))
			bad_refusal(p);
		memcpy(r->function, p, k);
		r->function[k] = '\0';
		r->code = (int)strtol(p + k + 1, &end, 10);
		r->from = 1;
		if (*end == '@')
			r->from = strtoull(end + 1, &end, 10);
		if (end != p + n)
			bad_refusal(p);
		p += n + (p[n] == ',');
	}
}

int
mock_refused(const char *function)
{
	int code = 0;
	size_t i;

	pthread_mutex_lock(&lock);
	if (!parsed)
		parse();
	if (trace != NULL)
		fprintf(trace, "%s\n", function);
	for (i = 0; i < refusals; i++)
		if (strcmp(refusal[i].function, function) == 0 &&
		    ++refusal[i].calls >= refusal[i].from)
			code = refusal[i].code;
	pthread_mutex_unlock(&lock);
	return (code);
}
