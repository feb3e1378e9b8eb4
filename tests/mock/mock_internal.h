/* mock_internal.h: what the parts of the mock share. */
#ifndef CADV_MOCK_INTERNAL_H
#define CADV_MOCK_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "mock.h"

#define MOCK_MAGIC 0x4b434f4du
#define MOCK_STREAMS 64
#define MOCK_DEVICES 2

struct mock_context {
	uint32_t magic;
	uint32_t id, device;
	struct mock_context *next;	/* all that were ever made */
	pthread_mutex_t lock;
	uint64_t busy_until[MOCK_STREAMS];	/* CLOCK_REALTIME, ns */
};

/* mock_refused(function): what MOCK_REFUSE says that this call returns; 0: go
 * on. Also writes the trace. */
int mock_refused(const char *function);
#define MOCK_ENTER() do {						\
	int refused_ = mock_refused(__func__);				\
	if (refused_ != 0)						\
		return (refused_);					\
} while (0)

uint64_t mock_env(const char *name, uint64_t otherwise);
uint64_t mock_now(void);
uint64_t mock_hash(const char *text);

/* Is this kind, or this API call, recorded? */
bool mock_kind_on(CUpti_ActivityKind kind);
bool mock_api_on(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);
/* mock_emit(record, size): put one activity record into this thread's buffer. */
void mock_emit(const void *record, size_t size);
/* mock_callback: call the subscriber if it asked for this callback. */
void mock_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
    const void *data);
/* mock_kernel_profiled: a kernel ran; tells whether a range was open. */
bool mock_kernel_profiled(struct mock_context *c, const char *kernel);

#endif
