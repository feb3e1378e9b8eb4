#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "again.h"
#include "budget.h"
#include "counters.h"
#include "diag.h"
#include "gate.h"
#include "inject.h"
#include "memory.h"
#include "module.h"
#include "nap.h"
#include "signature.h"

/* Until it was measured: a tenth of what an H200's data sheet allows for a copy
 * within its memory, 4.8 TB/s read and written. */
#define COPY_BYTES_PER_US 240000u
#define TIMED_BYTES (64ull << 20)	/* a copy that tells the speed */
#define BYTES_MOST (4ull << 30)		/* saved, twice */
#define FREE_SHARE 2		/* of the free memory the copies take one part in
				 * this many */
#define HOLD_SHARE 4		/* likewise the first copy of --max-stall */
#define WORDS_MOST 8192u	/* of one argument */
#define PAGE 4096u
#define LOWEST 65536u		/* addresses below are never mapped */
#define NEAR (1ull << 40)	/* the driver places its memory together: an
				 * address so near to it is one, too */

static struct {
	_Atomic uint32_t owner;		/* the first thread that called CUDA */
	_Atomic bool others;		/* another one did, too */
	_Atomic bool active;		/* other threads are held */
} calls;

static struct {
	bool kept, extended;
	CUcontext context;
	CUstream stream;
	cuLaunchKernel_params plain;
	cuLaunchKernelEx_params ex;
	struct memory_piece piece[MEMORY_PIECES];
	size_t pieces;
	uint64_t bytes;
	CUdeviceptr before, after;	/* 0: none */
	uint64_t bytes_per_us;		/* measured; 0: not yet */
} again;

void
again_call(void)
{
	uint32_t self, owner = 0;

	if (!inject.repeat && !atomic_load_explicit(&calls.active,
	    memory_order_relaxed))
		return;
	self = inject_tid();
	if (atomic_load_explicit(&calls.owner, memory_order_relaxed) == self ||
	    atomic_compare_exchange_strong(&calls.owner, &owner, self) ||
	    owner == self)
		return;
	atomic_store(&calls.others, true);
	/* It ends by itself, as again.h says. */
	while (atomic_load(&calls.active))
		nap(50000);
}

/* --- may it run again? --------------------------------------------------------- */

static bool
has_driver(void)
{
	const struct cupti_api *a = &inject.api;

	return a->cuStreamQuery != NULL && a->cuMemAlloc != NULL && a->cuMemFree != NULL &&
	    a->cuMemGetInfo != NULL && a->cuMemcpyDtoDAsync != NULL &&
	    a->cuLaunchKernel != NULL && a->cuLaunchKernelEx != NULL &&
	    a->cuFuncGetParamInfo != NULL;
}

static int
is_dma(struct dl_phdr_info *info, size_t size, void *cookie)
{
	static const char *const name[] = { "libibverbs", "librdmacm",
	    "libfabric", "libuct", "libucp", "libmpi", "libpsm2", "libcxi",
	    "libgdrapi", "libcufile", "libnvshmem", "libnccl" };
	size_t i;

	(void)size;
	(void)cookie;
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (info->dlpi_name != NULL &&
		    strstr(info->dlpi_name, name[i]) != NULL)
			return 1;
	return 0;
}

/* May the memory change without a call of the program's: by a network card or
 * a disk that writes to it, or by the host where kernels reach its memory? */
static bool
is_exposed(uint32_t device)
{
	CUdevice handle;
	int reached = 1;

	return dl_iterate_phdr(is_dma, NULL) != 0 ||
	    inject.api.cuDeviceGet == NULL ||
	    inject.api.cuDeviceGetAttribute == NULL ||
	    inject.api.cuDeviceGet(&handle, (int)device) != CUDA_SUCCESS ||
	    inject.api.cuDeviceGetAttribute(&reached,
	    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, handle) !=
	    CUDA_SUCCESS || reached != 0;
}

/* A kernel with other attributes may depend on its neighbours. */
static bool
is_plain(const CUlaunchConfig *c)
{
	unsigned i;

	for (i = 0; c != NULL && i < c->numAttrs; i++)
		switch (c->attrs[i].id) {
		case CU_LAUNCH_ATTRIBUTE_IGNORE:
		case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		case CU_LAUNCH_ATTRIBUTE_PRIORITY:
			break;
		default:
			return false;
		}
	return c != NULL;
}

static bool
is_mapped(uint64_t address)
{
	unsigned char there;

	return address >= LOWEST && address < 1ull << 47 &&
	    (mincore((void *)(uintptr_t)(address & ~(uint64_t)(PAGE - 1)), 1,
	    &there) == 0 || errno != ENOMEM);
}

/* Is this value of an argument no pointer, or one into known memory? */
static bool
is_known(uint64_t value)
{
	bool near = false;
	uint64_t at;
	size_t i;

	for (i = 0; i < again.pieces; i++) {
		at = again.piece[i].address;
		if (value >= at && value - at <= again.piece[i].bytes)
			return true;
		near |= (value > at ? value - at : at - value) < NEAR;
	}
	return !near && !is_mapped(value);
}

static bool
words_known(const uint8_t *p, size_t size)
{
	uint64_t value;
	size_t i;

	if (size / sizeof(value) > WORDS_MOST)
		return false;
	for (i = 0; i + sizeof(value) <= size; i += sizeof(value)) {
		memcpy(&value, p + i, sizeof(value));
		if (!is_known(value))
			return false;
	}
	return true;
}

static bool
argument_size(const void *f, size_t i, size_t *size)
{
	const struct cupti_api *a = &inject.api;
	size_t offset;

	/* A launch may be given a CUkernel in place of a CUfunction. */
	return a->cuFuncGetParamInfo((CUfunction)(uintptr_t)f, i, &offset,
	    size) == CUDA_SUCCESS || (a->cuKernelGetParamInfo != NULL &&
	    a->cuKernelGetParamInfo((CUkernel)(uintptr_t)f, i, &offset,
	    size) == CUDA_SUCCESS);
}

/* A kernel without arguments has no known memory either. */
static bool
arguments_known(const void *f, void **argument, void **extra)
{
	size_t i, size;

	if (argument == NULL || extra != NULL)
		return false;
	for (i = 0; argument_size(f, i, &size); i++)
		if (argument[i] == NULL || !words_known(argument[i], size))
			return false;
	return i > 0;
}

static uint64_t
copy_ns(uint64_t bytes)
{
	uint64_t speed = again.bytes_per_us != 0 ? again.bytes_per_us :
	    COPY_BYTES_PER_US;

	return bytes * 1000 / speed + 5000 * again.pieces;
}

static uint32_t
check_memory(uint64_t begin)
{
	size_t i, free_bytes, total;

	again.bytes = 0;
	for (i = 0; i < again.pieces; i++)
		again.bytes += again.piece[i].bytes;
	if (again.bytes > BYTES_MOST ||
	    copy_ns(again.bytes) > inject.max_stall_ns / HOLD_SHARE ||
	    inject.api.cuMemGetInfo(&free_bytes, &total) != CUDA_SUCCESS ||
	    2 * again.bytes > free_bytes / FREE_SHARE)
		return SKIP_ONCE_MEMORY;
	return budget_allows(begin, again_cost(1)) ? SKIP_NONE : SKIP_BUDGET;
}

/* The cheapest questions first. */
static uint32_t
check(const struct counters_launch *l, const char *function, uint64_t begin,
    bool exposed)
{
	void **argument, **extra;

	if (!has_driver())
		return SKIP_TOO_FEW_LAUNCHES;
	if (gate_is_shared() || atomic_load(&calls.others))
		return SKIP_ONCE_SHARED;
	if (exposed || !memory_pieces(l->data->contextUid, again.piece,
	    &again.pieces))
		return SKIP_ONCE_UNKNOWN;
	again.extended = l->extended;
	if (l->extended) {
		again.ex = *(const cuLaunchKernelEx_params *)
		    l->data->functionParams;
		argument = again.ex.kernelParams;
		extra = again.ex.extra;
		if (!is_plain(again.ex.config))
			return SKIP_ONCE_UNKNOWN;
	} else {
		again.plain = *(const cuLaunchKernel_params *)
		    l->data->functionParams;
		argument = again.plain.kernelParams;
		extra = again.plain.extra;
	}
	if (!arguments_known(l->function, argument, extra))
		return SKIP_ONCE_UNKNOWN;
	switch (module_code(function)) {
	case AGAIN_CODE_CLOSED:
		return check_memory(begin);
	case AGAIN_CODE_WAITS:
		return SKIP_ONCE_WAITS;
	default:
		return SKIP_ONCE_CODE;
	}
}

/* --- copies -------------------------------------------------------------------- */

static void
wait_idle(void)
{
	uint64_t begin = inject_now();

	/* Copies, or a kernel that ends: see again.h. Nobody can begin a
	 * capture meanwhile. */
	while (inject.api.cuStreamQuery(again.stream) == CUDA_ERROR_NOT_READY)
		nap(inject_now() - begin > 200000 ? 10000 : 0);
}

/* All pieces from memory into ${copy}, or back. */
static bool
copy(CUdeviceptr store, bool back)
{
	bool traced = inject.api.cuptiActivityDisable(
	    CUPTI_ACTIVITY_KIND_MEMCPY) == CUPTI_SUCCESS, good = true;
	uint64_t begin = inject_now(), ns;
	struct memory_piece *p;
	size_t i;

	for (i = 0; i < again.pieces && good; i++) {
		p = &again.piece[i];
		good = inject.api.cuMemcpyDtoDAsync(back ? p->address : store,
		    back ? store : p->address, p->bytes, again.stream) ==
		    CUDA_SUCCESS;
		store += p->bytes;
	}
	wait_idle();
	ns = inject_now() - begin;
	if (good && again.bytes >= TIMED_BYTES && ns > 1000)
		again.bytes_per_us = again.bytes / (ns / 1000);
	if (traced)
		inject.api.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
	return good;
}

static void
release(void)
{

	if (again.before != 0)
		inject.api.cuMemFree(again.before);
	if (again.after != 0)
		inject.api.cuMemFree(again.after);
	again.before = again.after = 0;
}

static bool
keep(CUdeviceptr *store)
{

	return inject.api.cuMemAlloc(store, again.bytes) == CUDA_SUCCESS &&
	    copy(*store, false);
}

/* --- the launch ------------------------------------------------------------------ */

uint32_t
again_keep(const struct counters_launch *l, const struct signature *s,
    uint64_t begin)
{
	/* Takes the loader's lock, which a thread that waits may hold. */
	bool exposed = is_exposed(s->shape.device);
	uint32_t why;

	if (again.before != 0)	/* not released yet */
		return SKIP_ONCE_MEMORY;
	again.context = l->data->context;
	again.stream = l->stream;
	/* Whoever calls CUDA from here on is seen below, or waits. */
	atomic_store(&calls.active, true);
	why = check(l, s->name, begin, exposed);
	if (why == SKIP_NONE && !keep(&again.before)) {
		release();
		why = SKIP_ONCE_MEMORY;
	}
	again.kept = why == SKIP_NONE;
	if (!again.kept)
		atomic_store(&calls.active, false);
	return why;
}

bool
again_kept(void)
{

	return again.kept;
}

uint64_t
again_cost(unsigned runs)
{

	return (runs + 2) * copy_ns(again.bytes);
}

bool
again_start(void)
{

	if (keep(&again.after))
		return true;
	if (again.after != 0)
		inject.api.cuMemFree(again.after);
	again.after = 0;
	return false;
}

bool
again_rewind(void)
{

	return copy(again.before, true);
}

bool
again_run(void)
{
	const cuLaunchKernel_params *p = &again.plain;
	CUresult r = again.extended ? inject.api.cuLaunchKernelEx(
	    again.ex.config, again.ex.f, again.ex.kernelParams, NULL) :
	    inject.api.cuLaunchKernel(p->f, p->gridDimX, p->gridDimY,
	    p->gridDimZ, p->blockDimX, p->blockDimY, p->blockDimZ,
	    p->sharedMemBytes, again.stream, p->kernelParams, NULL);

	wait_idle();
	return r == CUDA_SUCCESS;
}

void
again_finish(void)
{

	if (!again.kept)
		return;
	if (again.after != 0 && !copy(again.after, true))
		diag_report(DIAG_CALL_FAILED, SEVERITY_ERROR, 0,
		    "cuMemcpyDtoDAsync", "memory could not be put back after a "
		    "kernel was run again: the program's results may be wrong");
	release();
	again.kept = false;
	atomic_store(&calls.active, false);
}

void
again_drop(void)
{

	again.kept = false;
	atomic_store(&calls.active, false);
}

void
again_release(void)
{
	CUcontext before;

	if (again.kept || again.before == 0 ||
	    inject.api.cuCtxPushCurrent == NULL ||
	    inject.api.cuCtxPopCurrent == NULL ||
	    inject.api.cuCtxPushCurrent(again.context) != CUDA_SUCCESS)
		return;
	release();
	inject.api.cuCtxPopCurrent(&before);
}

void
again_gone(CUcontext context)
{

	if (again.context == context)
		again.before = again.after = 0;
}
