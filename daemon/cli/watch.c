#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/watch.h"

#define LIBRARY "libnvidia-ml.so.1"
#define DEVICES 32
#define PROCESSES 64
#define MORE_PROCESSES 7	/* NVML_ERROR_INSUFFICIENT_SIZE: the number is
				 * valid then */
#define LOOK_NS 20000000	/* sampling period: 50 samples of a run of a second */
#define OFTEN 50		/* after so many samples the period is SELDOM_NS */
#define SELDOM_NS 200000000
#define SLOW 10			/* values that hardly change: at each tenth sample */

/* nvml.h: nvmlClocksEventReasons. A GPU at its power limit is as fast as it can
 * be: that is not reported. */
#define REASON_POWER_CAP 0x4u
static const struct {
	uint64_t bit;
	const char *text;
} throttles[] = {
	{ 0x8, "hardware slowdown" }, { 0x20, "too hot (software limit)" },
	{ 0x40, "too hot (hardware limit)" }, { 0x80, "power brake" },
};

/* nvml.h: nvmlProcessInfo_t of version 3. */
struct gpu_process {
	unsigned pid;
	unsigned long long memory;
	unsigned gpu_instance, compute_instance;
};

typedef void *nvml_device;

/* The functions of nvml.h that we call. */
struct nvml {
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned *);
	int (*handle)(unsigned, nvml_device *);
	int (*uuid)(nvml_device, char *, unsigned);
	int (*reasons)(nvml_device, unsigned long long *);
	int (*clock)(nvml_device, int, unsigned *);
	int (*temperature)(nvml_device, int, unsigned *);
	int (*processes)(nvml_device, unsigned *, struct gpu_process *);
	/* May be missing: NULL. */
	int (*driver)(char *, unsigned);
	int (*state)(nvml_device, int *);
	int (*power_limit)(nvml_device, unsigned *);	/* mW, in force */
	int (*link)(nvml_device, unsigned *);
	int (*lanes)(nvml_device, unsigned *);
};

struct gpu_seen {
	nvml_device handle;
	char uuid[33];
	uint64_t reasons;
	unsigned others, low_mhz, high_mhz, celsius;
	unsigned limit_mw, link, lanes;	/* 0: unknown */
	int state;			/* -1: unknown */
};

struct watch {
	void *library;
	struct nvml nvml;
	struct gpu_seen seen[DEVICES];
	unsigned devices;
	pthread_t thread;
	sem_t stop;
	char driver[96];
};

static bool
find(void *library, void *out, const char *name, const char *other)
{
	void *f = dlsym(library, name);

	if (f == NULL && other != NULL)
		f = dlsym(library, other);
	memcpy(out, &f, sizeof(f));
	return f != NULL;
}

static bool
find_all(struct nvml *n, void *library)
{

	return find(library, &n->init, "nvmlInit_v2", NULL) &&
	    find(library, &n->shutdown, "nvmlShutdown", NULL) &&
	    find(library, &n->count, "nvmlDeviceGetCount_v2", NULL) &&
	    find(library, &n->handle, "nvmlDeviceGetHandleByIndex_v2", NULL) &&
	    find(library, &n->uuid, "nvmlDeviceGetUUID", NULL) &&
	    find(library, &n->reasons,
	    "nvmlDeviceGetCurrentClocksEventReasons",
	    "nvmlDeviceGetCurrentClocksThrottleReasons") &&
	    find(library, &n->clock, "nvmlDeviceGetClockInfo", NULL) &&
	    find(library, &n->temperature, "nvmlDeviceGetTemperature", NULL) &&
	    find(library, &n->processes,
	    "nvmlDeviceGetComputeRunningProcesses_v3", NULL);
}

static void
find_more(struct nvml *n, void *library)
{

	find(library, &n->driver, "nvmlSystemGetDriverVersion", NULL);
	find(library, &n->state, "nvmlDeviceGetPerformanceState", NULL);
	find(library, &n->power_limit, "nvmlDeviceGetEnforcedPowerLimit", NULL);
	find(library, &n->link, "nvmlDeviceGetCurrPcieLinkGeneration", NULL);
	find(library, &n->lanes, "nvmlDeviceGetCurrPcieLinkWidth", NULL);
}

/* "GPU-8a119663-5651-b602-4bb2-e286954afd1e" as the digits alone. */
static void
plain_uuid(char out[33], const char *text)
{
	size_t n = 0;

	for (text += strncmp(text, "GPU-", 4) == 0 ? 4 : 0; *text != '\0' &&
	    n < 32; text++)
		if (isxdigit((unsigned char)*text))
			out[n++] = *text;
	out[n] = '\0';
}

/* The largest value that ${ask} has returned so far. */
static void
look_most(int (*ask)(nvml_device, unsigned *), nvml_device device,
    unsigned *most)
{
	unsigned v;

	if (ask != NULL && ask(device, &v) == 0 && v > *most)
		*most = v;
}

/* The link and the performance state, which follow the load, and the power limit. */
static void
look_closely(const struct nvml *n, struct gpu_seen *s)
{
	int state;

	look_most(n->power_limit, s->handle, &s->limit_mw);
	look_most(n->link, s->handle, &s->link);
	look_most(n->lanes, s->handle, &s->lanes);
	if (n->state != NULL && n->state(s->handle, &state) == 0 &&
	    state >= 0 && state < 16 &&	/* P0 is the fastest, 32 unknown */
	    (s->state < 0 || state < s->state))
		s->state = state;
}

static void
look(struct watch *w, bool closely)
{
	const struct nvml *n = &w->nvml;
	unsigned long long reasons;
	unsigned i, v;
	struct gpu_seen *s;

	for (i = 0; i < w->devices; i++) {
		s = &w->seen[i];
		if (n->reasons(s->handle, &reasons) == 0)
			s->reasons |= reasons;
		if (n->clock(s->handle, 1, &v) == 0) {	/* NVML_CLOCK_SM */
			s->low_mhz = s->low_mhz == 0 || v < s->low_mhz ? v :
			    s->low_mhz;
			s->high_mhz = v > s->high_mhz ? v : s->high_mhz;
		}
		if (n->temperature(s->handle, 0, &v) == 0 && v > s->celsius)
			s->celsius = v;
		if (closely)
			look_closely(n, s);
	}
}

static void *
watching(void *arg)
{
	struct watch *w = arg;
	struct timespec until;
	unsigned looks = 0;

	do {
		look(w, looks % SLOW == 0);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += looks++ < OFTEN ? LOOK_NS : SELDOM_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
	} while (sem_clockwait(&w->stop, CLOCK_MONOTONIC, &until) != 0);
	return NULL;
}

static void
meet(struct watch *w)
{
	struct gpu_process process[PROCESSES];
	char uuid[96];
	unsigned i, count = 0, n;
	struct gpu_seen *s;
	int rc;

	w->nvml.count(&count);
	for (i = 0; i < count && w->devices < DEVICES; i++) {
		s = &w->seen[w->devices];
		if (w->nvml.handle(i, &s->handle) != 0 ||
		    w->nvml.uuid(s->handle, uuid, sizeof(uuid)) != 0)
			continue;
		plain_uuid(s->uuid, uuid);
		s->state = -1;
		n = PROCESSES;
		rc = w->nvml.processes(s->handle, &n, process);
		if (rc == 0 || rc == MORE_PROCESSES)
			s->others = n;
		w->devices++;
	}
}

struct watch *
watch_begin(void)
{
	struct watch *w = calloc(1, sizeof(*w));

	sigset_t all, before;
	int started;

	if (w == NULL || (w->library = dlopen(LIBRARY, RTLD_NOW)) == NULL ||
	    !find_all(&w->nvml, w->library) || w->nvml.init() != 0)
		goto err;
	find_more(&w->nvml, w->library);
	if (w->nvml.driver != NULL &&
	    w->nvml.driver(w->driver, sizeof(w->driver)) != 0)
		w->driver[0] = '\0';
	meet(w);
	if (w->devices == 0 || sem_init(&w->stop, 0, 0) != 0)
		goto err2;
	/* Signals are for the thread that waits for the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	started = pthread_create(&w->thread, NULL, watching, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started == 0)
		return w;
	sem_destroy(&w->stop);
err2:
	w->nvml.shutdown();
err:
	if (w != NULL && w->library != NULL)
		dlclose(w->library);
	free(w);
	return NULL;
}

static json_t *
known(double v, bool is)
{

	return is ? json_real(v) : json_null();
}

static json_t *
seen_json(const struct gpu_seen *s)
{
	const char *why = NULL;
	size_t i;

	for (i = sizeof(throttles) / sizeof(throttles[0]); i-- > 0;)
		if ((s->reasons & throttles[i].bit) != 0)
			why = throttles[i].text;
	return json_pack("{s:s, s:s?, s:b, s:i, s:[f,f], s:i, s:o, s:o, s:o, "
	    "s:o}",
	    "uuid", s->uuid,
	    "throttled", why,
	    "power_capped", (s->reasons & REASON_POWER_CAP) != 0,
	    "others", (int)s->others,
	    "sm_hz", s->low_mhz * 1e6, s->high_mhz * 1e6,
	    "celsius", (int)s->celsius,
	    "performance_state", s->state >= 0 ? json_integer(s->state) :
	    json_null(),
	    "power_limit_w", known(s->limit_mw / 1e3, s->limit_mw > 0),
	    "pcie_generation", s->link > 0 ? json_integer(s->link) :
	    json_null(),
	    "pcie_lanes", s->lanes > 0 ? json_integer(s->lanes) : json_null());
}

json_t *
watch_end(struct watch *w)
{
	json_t *list, *out;
	unsigned i;

	if (w == NULL)
		return NULL;
	sem_post(&w->stop);
	pthread_join(w->thread, NULL);
	list = json_array();
	for (i = 0; list != NULL && i < w->devices; i++)
		json_array_append_new(list, seen_json(&w->seen[i]));
	out = json_pack("{s:s?, s:o}", "driver", w->driver[0] != '\0' ?
	    w->driver : NULL, "gpus", list);
	sem_destroy(&w->stop);
	w->nvml.shutdown();
	dlclose(w->library);
	free(w);
	return out;
}
