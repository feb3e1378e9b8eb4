/*
 * inject.h: the state of the library inside one target process, which start.c
 * starts and ends. One per process, because the driver loads one library per process.
 *
 * The law here: never exit, abort, block without a bound, print to stdout,
 * change a result, or fail a call that would have succeeded. After an error a
 * tier is turned off and reported with diag_report.
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
	INJECT_FINISHING,	/* records nothing new, sends the last data */
	INJECT_DONE,
};

struct inject {
	_Atomic int state;		/* enum inject_state */
	bool profiles;			/* level_profiles(level), where every
					 * launch asks for it */
	pid_t pid;			/* a forked child has another */
	struct cupti_api api;
	CUpti_SubscriberHandle subscriber;
	enum wire_level level;
	double budget;			/* share of the run that measuring may
					 * add */
	uint64_t max_stall_ns;		/* longest hold of the program, except
					 * for replays and set-up */
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

/* inject_active(): is recording on? One load. */
static inline bool
inject_active(void)
{

	return atomic_load_explicit(&inject.state, memory_order_relaxed) ==
	    INJECT_ON;
}

/* What runs at every launch lies in one place: a program that uses its caches for
 * itself fetches each line of it again. */
#define INJECT_HOT __attribute__((hot))

/* inject_now(): nanoseconds of CLOCK_REALTIME, CUPTI's clock on Linux. */
uint64_t inject_now(void);

/* inject_tid(): the kernel's id of the calling thread, cached. */
uint32_t inject_tid(void);

/* start.c: the entry points, called by the driver and by NVTX. With hidden
 * visibility the driver skips them silently. */
#define INJECT_EXPORT __attribute__((visibility("default")))
INJECT_EXPORT int InitializeInjection(void);
INJECT_EXPORT int InitializeInjectionNvtx(void *get_export_table);
INJECT_EXPORT int InitializeInjectionNvtx2(void *get_export_table);

#endif
