#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "emit.h"
#include "failure.h"
#include "function.h"
#include "inject.h"

static _Atomic bool watched;	/* cudaGetLastError and cudaPeekAtLastError have
				 * callbacks */

/* The last error in this thread that the program has not read. */
static _Thread_local struct {
	uint32_t correlation;	/* 0: none */
	uint16_t call;
	uint32_t result;
} unread;

static void
emit_failure(struct record_FAILURE *r)
{
	const char *error = NULL;

	r->tid = inject_tid();
	r->now_ns = inject_now();
	if (inject.api.cuGetErrorName != NULL)
		inject.api.cuGetErrorName((CUresult)r->result, &error);
	r->error_name = wire_str_of(error);
	EMIT(FAILURE, r);
}

/* Whether this is the error of a launch that exceeds a limit. After other errors the
 * function handle may be invalid: then the driver is not asked for attributes. */
static bool
is_limit(uint32_t result)
{

	return result == CUDA_ERROR_INVALID_VALUE ||
	    result == CUDA_ERROR_OUT_OF_MEMORY ||
	    result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
	    result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

/* Adds what the launch requires; the daemon finds the limit that it exceeds. */
static void
launch_tell(struct record_FAILURE *r, const struct failure_launch *l)
{
	const struct signature_shape *s = &l->shape;

	r->flags = FAILURE_LAUNCH | (l->cooperative ? FAILURE_COOPERATIVE : 0);
	r->device = s->device;
	r->grid_x = s->grid[0];
	r->grid_y = s->grid[1];
	r->grid_z = s->grid[2];
	r->block_x = s->block[0];
	r->block_y = s->block[1];
	r->block_z = s->block[2];
	r->smem_dynamic = s->dynamic;
	r->kernel = wire_str_of(l->name);
	if (l->function != NULL && is_limit(r->result) &&
	    function_attribute(l->function, s->device,
	    CU_FUNC_ATTRIBUTE_NUM_REGS, &r->regs) &&
	    function_attribute(l->function, s->device,
	    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &r->smem_static) &&
	    function_attribute(l->function, s->device,
	    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &r->threads_max) &&
	    function_attribute(l->function, s->device,
	    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
	    &r->smem_dynamic_max))
		r->flags |= FAILURE_FUNCTION;
}

/* Not enabled before the first failure: until then these callbacks would cost time and
 * tell nothing. */
static void
watch_error_reads(void)
{

	if (atomic_exchange(&watched, true))
		return;
	inject.api.cuptiEnableCallback(1, inject.subscriber,
	    CUPTI_CB_DOMAIN_RUNTIME_API,
	    CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020);
	inject.api.cuptiEnableCallback(1, inject.subscriber,
	    CUPTI_CB_DOMAIN_RUNTIME_API,
	    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020);
}

void
failure_tell(uint16_t call, const CUpti_CallbackData *d, uint32_t result,
    const struct failure_launch *launch)
{
	struct record_FAILURE r = { .call = call, .result = result,
	    .correlation = d->correlationId,
	    .call_name = wire_str_of(d->functionName) };
	char detail[160] = "";

	/* DEINITIALIZED: the process is exiting. NOT_READY is no error. */
	if (result == CUDA_ERROR_DEINITIALIZED ||
	    result == CUDA_ERROR_NOT_READY)
		return;
	if (launch != NULL) {
		const struct signature_shape *s = &launch->shape;

		snprintf(detail, sizeof(detail),
		    "grid (%u,%u,%u) block (%u,%u,%u) dynamic shared %u B",
		    s->grid[0], s->grid[1], s->grid[2], s->block[0],
		    s->block[1], s->block[2], s->dynamic);
		launch_tell(&r, launch);
	}
	watch_error_reads();
	unread.correlation = d->correlationId;
	unread.call = call;
	unread.result = result;
	r.detail = wire_str_of(detail);
	emit_failure(&r);
}

void
failure_read(const CUpti_CallbackData *d)
{
	struct record_FAILURE r = { .call = unread.call,
	    .result = unread.result, .correlation = unread.correlation,
	    .read = 1, .call_name = wire_str_of(d->functionName) };

	if (d->callbackSite != CUPTI_API_EXIT || unread.correlation == 0)
		return;
	emit_failure(&r);
	unread.correlation = 0;
}
