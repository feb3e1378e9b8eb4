/* mock_internal.h: shared by the files of the mock. */
#ifndef CADV_MOCK_INTERNAL_H
#define CADV_MOCK_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include "mock.h"

/* CUPTI writes the newest record layouts of its own headers. */
#if CUPTI_API_VERSION < 130000
#define CUpti_ActivityKernel10 CUpti_ActivityKernel9
#endif
#if CUPTI_API_VERSION < 26
#define CUpti_ActivityMemcpy6 CUpti_ActivityMemcpy5
#define CUpti_ActivityUnifiedMemoryCounter3 CUpti_ActivityUnifiedMemoryCounter2
#define CUpti_ActivitySynchronization2 CUpti_ActivitySynchronization
#endif

#define MOCK_MAGIC 0x4b434f4du
#define MOCK_STREAMS 1024
#define MOCK_DEVICES 2
#define MOCK_CODES 256

struct mock_delay;
struct mock_module;
struct mock_sass;
struct mock_sampling;

struct mock_context {
	uint32_t magic;
	uint32_t id, device;
	struct mock_context *next;	/* all contexts ever created */
	pthread_mutex_t lock;
	uint64_t busy_until[MOCK_STREAMS];	/* CLOCK_REALTIME, ns */
	uint64_t kernels_until, blocked_until;
	struct mock_delay *delays;	/* kernels that wait for mock_release */
	unsigned launching;		/* threads inside a launch */
	struct mock_module *module;	/* NULL: not loaded yet */
	struct mock_sass *sass;		/* SASS metrics are enabled */
	struct mock_sampling *sampling;	/* PC sampling is enabled */
	bool instrumented;		/* PC sampling or the range profiler was
					 * enabled before */
	bool sass_used, sass_whole;	/* SASS metrics are in use; they work
					 * for all functions */
	const struct mock_code *sass_first;	/* otherwise they work only for
						 * this function */
	bool moved[MOCK_CODES];		/* by code: patched at least once */
};

/* The code of one kernel in the cubin that every module is a copy of. */
struct mock_code {
	const char *name;
	uint32_t symbol;		/* index in .symtab */
	const uint8_t *text;
	uint32_t size;			/* bytes of code, without padding */
};

#define MOCK_INSTRUCTION 16u

/* mock_refused(function): the code that MOCK_REFUSE has for this call; 0:
 * proceed. Also writes the trace. */
int mock_refused(const char *function);
/* mock_say(what, function): write a line into the trace. */
void mock_say(const char *what, const char *function);
/* mock_captured(function): a call that is illegal during a stream capture:
 * writes "captured FUNCTION" into the trace if there is one. */
void mock_captured(const char *function);
extern int mock_capturing;		/* captures that are under way */
/* mock_relaxed(): whether this thread is in relaxed capture mode. */
bool mock_relaxed(void);
/* mock_ranges_itself(c): whether the range profiler uses automatic ranges on
 * this context, and waits for each kernel. */
bool mock_ranges_itself(struct mock_context *c);

#define MOCK_ENTER() do {						\
	int refused_ = mock_refused(__func__);				\
	if (refused_ != 0)						\
		return refused_;					\
} while (0)

uint64_t mock_env(const char *name, uint64_t otherwise);
uint64_t mock_now(void);
uint64_t mock_hash(const char *text);

/* Whether this kind, or this API call, is recorded. */
bool mock_kind_on(CUpti_ActivityKind kind);
bool mock_api_on(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);
/* mock_emit(record, size): put one activity record into this thread's buffer. */
void mock_emit(const void *record, size_t size);
/* mock_subscribed: has cuptiSubscribe succeeded? */
bool mock_subscribed(void);

/* mock_callback: call the subscriber if this callback is enabled. */
void mock_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data);
/* mock_alone(c, function): ${function} turns a profiler on or off, after all
 * running work: if kernels of ${c} run, it writes "busy FUNCTION" into the
 * trace and waits for them; if another thread is inside a launch, "racing
 * FUNCTION" (on a GPU such a call hung); if one loads or unloads a module,
 * "loading FUNCTION" (both want the driver's lock and CUPTI's). */
void mock_alone(struct mock_context *c, const char *function);
/* mock_idle(c, function): the same for a call that launches of other threads do
 * not disturb. */
void mock_idle(struct mock_context *c, const char *function);
/* mock_initialized: cuptiProfilerInitialize was called. */
bool mock_initialized(void);
/* mock_kernel_own(c): CUPTI runs a kernel of its own, under the id of the latest
 * call, as it does on an H200 at the ends of a range. */
void mock_kernel_own(struct mock_context *c);
extern uint32_t mock_correlation;	/* of the next call */
/* mock_loads(c, on): this thread begins or ends to load or unload a module. With
 * MOCK_LOAD_WAITS it holds the driver's lock meanwhile, and waits first for the
 * kernels that run. mock_driver_lock(function): the same lock, for a call that
 * needs it; if that took long, "stuck FUNCTION" is in the trace. */
void mock_loads(struct mock_context *c, bool on);
void mock_driver_lock(const char *function);
void mock_driver_unlock(void);
/* mock_unloaded(function): for a call of CUPTI that must not meet a load:
 * writes "loading FUNCTION" as mock_alone does. */
void mock_unloaded(const char *function);
void mock_wait_until(uint64_t ns);	/* of CLOCK_REALTIME */

/* mock_ranging(device): the range profiler is enabled there. */
bool mock_ranging(uint32_t device);
/* mock_exclusive: SASS metrics exclude counters and PC sampling. */
bool mock_exclusive(void);

/* Guards sass and sampling of all contexts. No other lock is taken under it. */
extern pthread_mutex_t mock_source_lock;

/* mock_module_load(c): before a launch: load the module if it is the first one;
 * mock_module_unload(c): when the context is destroyed. With callbacks. */
void mock_module_load(struct mock_context *c);
void mock_module_unload(struct mock_context *c);
/* mock_module_new(c), mock_module_end(c, m): a module of its own, loaded and
 * unloaded with the callbacks of the resource. */
struct mock_module *mock_module_new(struct mock_context *c);
void mock_module_end(struct mock_context *c, struct mock_module *m);
/* mock_code_of(kernel): its code, or NULL; mock_codes(n): all of them. */
const struct mock_code *mock_code_of(const char *kernel);
const struct mock_code *mock_codes(size_t *n);
uint32_t mock_crc(void);	/* of the cubin */

/* A SASS metric: a row of the table in mock_metric.c. */
struct mock_metric {
	const char *name;
	unsigned class;		/* class of instructions that it patches; 0:
				 * none here */
	unsigned quantity;
};

const struct mock_metric *mock_metrics(size_t *n);
const struct mock_metric *mock_metric_named(const char *name);	/* or NULL */
/* Whether the metric patches this instruction, and its count there in one launch. */
bool mock_metric_at(const struct mock_metric *m, const struct mock_code *code,
    uint32_t pc);
uint64_t mock_metric_count(const struct mock_metric *m,
    const struct mock_code *code, uint32_t pc, const struct mock_launch *l);

/* A launch: updates SASS metrics and PC sampling. */
void mock_sass_launched(struct mock_context *c, const struct mock_launch *l);
void mock_sampling_launched(struct mock_context *c,
    const struct mock_launch *l);
/* mock_sass_synchronized: the counts of kernels that have ended can be read
 * now. */
void mock_sass_synchronized(void);
/* mock_sass_on(c): whether instructions are counted. */
bool mock_sass_on(struct mock_context *c);
/* The context is destroyed, with its SASS state. */
void mock_sass_gone(struct mock_context *c);
void mock_sampling_gone(struct mock_context *c);

/* mock_kernel_profiled: called when a kernel has run; returns whether a range
 * was open. */
bool mock_kernel_profiled(struct mock_context *c, const struct mock_function *f);

#endif
