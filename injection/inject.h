/*
 * inject.h: the state of the library inside one target process, and how it
 * comes and goes. There is one per process, because the driver loads one
 * library per process.
 *
 * The law here: never exit, abort, block without a bound, print to stdout,
 * change a result, or fail a call that would have succeeded. Trouble turns
 * tiers off and is reported with diag_report.
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
	INJECT_OFF,		/* not started, or stood down */
	INJECT_ON,
	INJECT_FINISHING,	/* no new work, the last data goes out */
	INJECT_DONE,
};

struct inject {
	_Atomic int state;		/* enum inject_state */
	pid_t pid;			/* a forked child differs */
	struct cupti_api api;
	CUpti_SubscriberHandle subscriber;
	enum wire_level level;
	double budget;			/* share of the run for counters */
	uint64_t max_stall_ns;		/* longest that the program may be held
					 * at one place; not of replays and
					 * set-up */
	bool replay;
	uint64_t stream;		/* this process's number on the wire */
	uint64_t begin_ns;		/* CLOCK_REALTIME of our start */
	char run[33];
	char socket[PATH_MAX];		/* "" : no daemon */
	char spool[PATH_MAX];
	char metrics[PATH_MAX];
	char label[256];
};

extern struct inject inject;

/* inject_active(): may this thread's event be recorded? One load. */
static inline bool
inject_active(void)
{

	return (atomic_load_explicit(&inject.state, memory_order_relaxed) ==
	    INJECT_ON);
}

/* inject_now(): nanoseconds of CLOCK_REALTIME, CUPTI's clock on Linux. */
uint64_t inject_now(void);

/* inject_tid(): the kernel's id of the calling thread, cached. */
uint32_t inject_tid(void);

/*
 * inject_finish(reason): let the last data out, waiting at most a few seconds.
 * Called at exit; a second call does nothing.
 */
void inject_finish(enum wire_bye reason);

/* The driver's and NVTX's entry points. With hidden visibility the driver would
 * pass over them without a word. */
#define INJECT_EXPORT __attribute__((visibility("default")))
INJECT_EXPORT int InitializeInjection(void);
INJECT_EXPORT int InitializeInjectionNvtx(void *get_export_table);
INJECT_EXPORT int InitializeInjectionNvtx2(void *get_export_table);

#endif
