/*
 * inject.h: the state of the library in one target process; start.c starts and ends it.
 * There is one per process, because the driver loads one injection library per process.
 *
 * Rules for all code here: never exit, abort, wait without a bound, print to stdout,
 * change a result, or fail a call that would have succeeded. After an error a tier is
 * turned off and reported with diag_report.
 */
#ifndef CADV_INJECT_H
#define CADV_INJECT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cupti_api.h"
#include "wire/record.h"

enum inject_state {
	INJECT_OFF,		/* not started, or turned off */
	INJECT_ON,
	INJECT_FINISHING,	/* nothing new is recorded; the last data is sent */
	INJECT_DONE,
};

struct inject {
	_Atomic int state;		/* enum inject_state */
	bool profiles;			/* level_profiles(level), kept here because
					 * every launch reads it */
	pid_t pid;			/* of this process; a forked child has another */
	struct cupti_api api;
	CUpti_SubscriberHandle subscriber;
	enum wire_level level;
	double budget;		/* share of the run's time that measuring may add */
	uint64_t max_stall_ns;		/* longest hold of the program, apart from
					 * replays and set-up */
	bool replay;
	uint64_t stream;		/* identifies this process on the
					 * wire */
	uint64_t begin_ns;		/* CLOCK_REALTIME when the library
					 * started */
	char run[33];
	char socket[PATH_MAX];		/* "" : no daemon */
	char spool[PATH_MAX];
	char metrics[PATH_MAX];
	char label[256];
};

extern struct inject inject;

/* inject_active(): whether events are recorded now. One load. */
static inline bool
inject_active(void)
{

	return atomic_load_explicit(&inject.state, memory_order_relaxed) ==
	    INJECT_ON;
}

/* For functions that run at every launch: the linker puts them in one place. A program
 * that fills the caches itself evicts this code between launches, and each of its cache
 * lines has to be fetched again. */
#define INJECT_HOT __attribute__((hot))

/* inject_now(): nanoseconds of CLOCK_REALTIME, CUPTI's clock on Linux. */
uint64_t inject_now(void);

/* inject_tid(): the kernel's id of the calling thread, cached per thread. */
uint32_t inject_tid(void);

/* start.c: the entry points, which the driver and NVTX call. If they had hidden
 * visibility the driver would skip them silently. */
#define INJECT_EXPORT __attribute__((visibility("default")))
INJECT_EXPORT int InitializeInjection(void);
INJECT_EXPORT int InitializeInjectionNvtx(void *get_export_table);
INJECT_EXPORT int InitializeInjectionNvtx2(void *get_export_table);

#endif
