/* MEMORY records of the program's calls, which the injection library sees
 * before and after each call, with its parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "emit.h"
#include "globals.h"
#include "inject.h"
#include "memory.h"
#include "unit/test.h"
#include "wire/frame.h"

struct inject inject;

uint64_t
inject_now(void)
{

	return 77;
}

/* Takes the MEMORY records from the queue. */
static struct record_MEMORY got[8];

static unsigned
taken(void)
{
	struct emit_frame *f = emit_take(1), *next;
	unsigned n = 0;
	struct record r;
	size_t pos;

	for (; f != NULL; f = next) {
		next = f->next;
		for (pos = 0; record_next(f->data + FRAME_HEADER_SIZE, f->size -
		    FRAME_HEADER_SIZE, &pos, &r) > 0;)
			if (r.type == RECORD_MEMORY)
				got[n++ % 8] = r.u.MEMORY;
		emit_release(f);
	}
	return n;
}

static CUresult result;
static uint32_t correlation;

static void
enter(CUpti_CallbackId cbid, const void *params)
{
	CUpti_CallbackData d = { .functionParams = params, .contextUid = 3,
	    .correlationId = ++correlation };

	memory_enter(calls_find(CUPTI_CB_DOMAIN_DRIVER_API, cbid), &d, 10);
}

static void
leave(CUpti_CallbackId cbid, const void *params)
{
	CUpti_CallbackData d = { .functionParams = params, .contextUid = 3,
	    .correlationId = correlation, .functionReturnValue = &result };

	memory_exit(calls_find(CUPTI_CB_DOMAIN_DRIVER_API, cbid), &d, 1, 20);
}

#define CALL(name, ...) do {						\
	name##_params p_ = { __VA_ARGS__ };				\
	const struct call_row *row_ = calls_find(			\
	    CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name); \
	assert_non_null(row_);						\
	assert_true(memory_call(row_));					\
	enter(CUPTI_DRIVER_TRACE_CBID_##name, &p_);			\
	leave(CUPTI_DRIVER_TRACE_CBID_##name, &p_);			\
} while (0)

static void
expect(unsigned i, unsigned operation, unsigned kind, uint64_t address,
    uint64_t bytes)
{

	assert_int_equal(got[i].operation, operation);
	assert_int_equal(got[i].kind, kind);
	assert_int_equal(got[i].address, address);
	assert_int_equal(got[i].bytes, bytes);
	assert_int_equal(got[i].device, 1);
	assert_int_equal(got[i].context, 3);
	assert_int_equal(got[i].correlation, correlation);
}

/* Each kind of allocating call, with its release. */
TEST(every_call)
{
	CUdeviceptr a = 0x7f0000000000;
	size_t pitch = 512;
	void *h = (void *)0x10000;

#define PAIR(kind, size, allocate, free) do {				\
	allocate;							\
	assert_int_equal(taken(), 1);					\
	expect(0, 1, kind, (kind) == MEMORY_PINNED ? (uintptr_t)h : a, size); \
	assert_int_equal(got[0].now_ns, 20);				\
	free;								\
	assert_int_equal(taken(), 1);					\
	expect(0, 2, kind, (kind) == MEMORY_PINNED ? (uintptr_t)h : a, size); \
	assert_int_equal(got[0].now_ns, 10);				\
	free;								\
	assert_int_equal(taken(), 0);	/* already released */		\
} while (0)
	PAIR(MEMORY_DEVICE, 100,
	    CALL(cuMemAlloc_v2, .dptr = &a, .bytesize = 100),
	    CALL(cuMemFree_v2, .dptr = a));
	PAIR(MEMORY_DEVICE, 512 * 7,
	    CALL(cuMemAllocPitch_v2, .dptr = &a, .pPitch = &pitch,
	    .WidthInBytes = 500, .Height = 7,
	    .ElementSizeBytes = 4),
	    CALL(cuMemFree_v2, .dptr = a));
	PAIR(MEMORY_MANAGED, 300,
	    CALL(cuMemAllocManaged, .dptr = &a, .bytesize = 300),
	    CALL(cuMemFree_v2, .dptr = a));
	PAIR(MEMORY_DEVICE, 400,
	    CALL(cuMemAllocAsync, .dptr = &a, .bytesize = 400),
	    CALL(cuMemFreeAsync, .dptr = a));
	assert_int_equal(got[0].flags, MEMORY_ASYNC);
	PAIR(MEMORY_DEVICE, 401,
	    CALL(cuMemAllocAsync_ptsz, .dptr = &a, .bytesize = 401),
	    CALL(cuMemFreeAsync_ptsz, .dptr = a));
	PAIR(MEMORY_DEVICE, 402,
	    CALL(cuMemAllocFromPoolAsync, .dptr = &a, .bytesize = 402),
	    CALL(cuMemFree_v2, .dptr = a));
	PAIR(MEMORY_DEVICE, 403,
	    CALL(cuMemAllocFromPoolAsync_ptsz, .dptr = &a, .bytesize = 403),
	    CALL(cuMemFreeAsync, .dptr = a));
	PAIR(MEMORY_ARRAY, 64 * 32 * 4 * 4,
	    CALL(cuArrayCreate_v2, .pHandle = (CUarray *)&a, .pAllocateArray =
	    &(CUDA_ARRAY_DESCRIPTOR){ 64, 32, CU_AD_FORMAT_FLOAT, 4 }),
	    CALL(cuArrayDestroy, .hArray = (CUarray)a));
	PAIR(MEMORY_ARRAY, 64 * 2,
	    CALL(cuArray3DCreate_v2, .pHandle = (CUarray *)&a,
	    .pAllocateArray = &(CUDA_ARRAY3D_DESCRIPTOR){ .Width = 64,
	    .Format = CU_AD_FORMAT_HALF, .NumChannels = 1 }),
	    CALL(cuArrayDestroy, .hArray = (CUarray)a));
	PAIR(MEMORY_ARRAY, 64 * 32 * 6 + 32 * 16 * 6 + 16 * 8 * 6,
	    CALL(cuMipmappedArrayCreate, .pHandle = (CUmipmappedArray *)&a,
	    .pMipmappedArrayDesc = &(CUDA_ARRAY3D_DESCRIPTOR){ .Width = 64,
	    .Height = 32, .Depth = 6, .Flags = CUDA_ARRAY3D_LAYERED,
	    .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1 },
	    .numMipmapLevels = 3),
	    CALL(cuMipmappedArrayDestroy, .hMipmappedArray = (CUmipmappedArray)a));
	/* The driver knows the size of these; we do not. */
	PAIR(MEMORY_ARRAY, 0,
	    CALL(cuArray3DCreate_v2, .pHandle = (CUarray *)&a,
	    .pAllocateArray = &(CUDA_ARRAY3D_DESCRIPTOR){ .Width = 64,
	    .Height = 32, .Format = CU_AD_FORMAT_NV12, .NumChannels = 3 }),
	    CALL(cuArrayDestroy, .hArray = (CUarray)a));
	PAIR(MEMORY_ARRAY, 0,
	    CALL(cuArray3DCreate_v2, .pHandle = (CUarray *)&a,
	    .pAllocateArray = &(CUDA_ARRAY3D_DESCRIPTOR){ .Width = 64,
	    .Height = 32, .Flags = CUDA_ARRAY3D_SPARSE,
	    .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1 }),
	    CALL(cuArrayDestroy, .hArray = (CUarray)a));
	PAIR(MEMORY_PINNED, 500,
	    CALL(cuMemHostAlloc, .pp = &h, .bytesize = 500),
	    CALL(cuMemFreeHost, .p = h));
	PAIR(MEMORY_PINNED, 501,
	    CALL(cuMemAllocHost_v2, .pp = &h, .bytesize = 501),
	    CALL(cuMemFreeHost, .p = h));
	PAIR(MEMORY_PINNED, 502,
	    CALL(cuMemHostRegister, .p = h, .bytesize = 502),
	    CALL(cuMemHostUnregister, .p = h));
	PAIR(MEMORY_PINNED, 503,
	    CALL(cuMemHostRegister_v2, .p = h, .bytesize = 503),
	    CALL(cuMemHostUnregister, .p = h));
}

/* A failed call allocated nothing, and its out-parameter is not read. */
TEST(failures)
{
	CUdeviceptr a = 0x7f1000000000;

	result = CUDA_ERROR_OUT_OF_MEMORY;
	CALL(cuMemAlloc_v2, .dptr = (CUdeviceptr *)8, .bytesize = 100);
	CALL(cuMemFree_v2, .dptr = a);
	assert_int_equal(taken(), 0);
	result = CUDA_SUCCESS;
	CALL(cuMemAlloc_v2, .dptr = NULL, .bytesize = 100);
	CALL(cuMemFree_v2, .dptr = 0);
	assert_int_equal(taken(), 0);
	CALL(cuMemAlloc_v2, .dptr = &a, .bytesize = 100);
	assert_int_equal(taken(), 1);
	/* A failed release: the allocation stays. */
	result = CUDA_ERROR_ILLEGAL_ADDRESS;
	CALL(cuMemFree_v2, .dptr = a);
	assert_int_equal(taken(), 2);
	expect(0, 2, MEMORY_DEVICE, a, 100);
	expect(1, 1, MEMORY_DEVICE, a, 100);
	result = CUDA_SUCCESS;
	CALL(cuMemFree_v2, .dptr = a);
	assert_int_equal(taken(), 1);
	expect(0, 2, MEMORY_DEVICE, a, 100);
}

/* One thread is still in its release when another gets the same address. */
TEST(an_address_is_used_again)
{
	CUdeviceptr a = 0x7f2000000000;
	cuMemFree_v2_params p = { .dptr = a };

	CALL(cuMemAlloc_v2, .dptr = &a, .bytesize = 100);
	enter(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &p);
	CALL(cuMemAlloc_v2, .dptr = &a, .bytesize = 200);
	leave(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &p);
	assert_int_equal(taken(), 3);
	assert_int_equal(got[1].operation, 2);
	assert_int_equal(got[1].bytes, 100);
	assert_int_equal(got[2].operation, 1);
	CALL(cuMemFree_v2, .dptr = a);
	assert_int_equal(taken(), 1);
	expect(0, 2, MEMORY_DEVICE, a, 200);
}

/* As many allocations as there is room for: each is found again, whatever was
 * released before; one more is counted as lost. */
TEST(many)
{
	const uint64_t base = 0x600000000000, step = 512;
	uint64_t before = emit_lost_total(), i, n = 0;
	CUdeviceptr a;

	for (i = 0; i <= MEMORY_LIVE; i++) {
		a = base + i * step;
		CALL(cuMemAlloc_v2, .dptr = &a, .bytesize = i + 1);
		if (i % 4096 == 4095)
			n += taken();
	}
	n += taken();
	assert_int_equal(n, MEMORY_LIVE);
	assert_int_equal(emit_lost_total() - before, 1);
	/* Every third first, then the others. */
	for (i = n = 0; i < 2 * (uint64_t)MEMORY_LIVE; i++) {
		if ((i < MEMORY_LIVE) != (i % MEMORY_LIVE % 3 == 0))
			continue;
		CALL(cuMemFree_v2, .dptr = base + i % MEMORY_LIVE * step);
		n += taken();
		expect(0, 2, MEMORY_DEVICE, base + i % MEMORY_LIVE * step,
		    i % MEMORY_LIVE + 1);
	}
	assert_int_equal(n, MEMORY_LIVE);
	assert_int_equal(emit_lost_total() - before, 1);
}

static uint32_t
allocate(uint32_t context, CUdeviceptr a, bool async)
{
	cuMemAlloc_v2_params p = { .dptr = &a, .bytesize = 64 };
	cuMemAllocAsync_params q = { .dptr = &a, .bytesize = 64 };
	CUpti_CallbackId cbid = async ?
	    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync :
	    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2;
	const void *params = async ? (const void *)&q : &p;
	CUpti_CallbackData d = { .functionParams = params,
	    .contextUid = context, .correlationId = ++correlation,
	    .functionReturnValue = &result };

	memory_exit(calls_find(CUPTI_CB_DOMAIN_DRIVER_API, cbid), &d, 1, 20);
	return taken();
}

/* A program that makes context after context and frees nothing does not fill the
 * table; what others have allocated stays. */
TEST(contexts_go)
{
	const uint64_t base = 0x500000000000, step = 512, each = 1 << 16;
	uint64_t before = emit_lost_total(), i, n = 0;
	CUdeviceptr pool = base - step;
	uint32_t context;

	assert_int_equal(allocate(100, pool, true), 1);
	for (context = 100; context < 108; context++) {
		for (i = 0; i < each; i++) {
			/* Every second one is of a context that stays. */
			if (i % 2 == 0 || context == 100)
				n += allocate(i % 2 == 0 ? context : 3, base +
				    (i % 2 == 0 ? context - 99 : 0) * each *
				    step + i * step, false);
		}
		memory_context_gone(context);
		assert_int_equal(taken(), 0);
	}
	assert_int_equal(n, 8 * each / 2 + each / 2);
	assert_int_equal(emit_lost_total() - before, 0);
	CALL(cuMemFree_v2, .dptr = base + each * step);
	assert_int_equal(taken(), 0);
	for (i = 1; i < each; i += 2) {
		CALL(cuMemFree_v2, .dptr = base + i * step);
		assert_int_equal(taken(), 1);
		expect(0, 2, MEMORY_DEVICE, base + i * step, 64);
	}
	CALL(cuMemFreeAsync, .dptr = pool);
	assert_int_equal(taken(), 1);
}

/* From nvcc: 4000 + 24 + 40 bytes of __device__ and 2000 of __managed__
 * variables, beside constants and shared memory. */
TEST(variables)
{
	static uint8_t image[64 << 10], cut[64 << 10];
	FILE *f = fopen(TEST_DIR "/captures/cubins/globals.cubin", "rb");
	CUpti_ModuleResourceData d = { .pCubin = (const char *)image };
	struct globals g;
	size_t size, i;

	assert_non_null(f);
	size = fread(image, 1, sizeof(image), f);
	fclose(f);
	g = globals_of(image, size);
	assert_int_equal(g.managed, 2000);
	assert_int_equal(g.device, 4000 + 24 + 40);
	d.cubinSize = size;
	assert_true(memory_module(&d, 1));
	assert_int_equal(taken(), 2);
	assert_int_equal(got[0].kind, MEMORY_STATIC);
	assert_int_equal(got[0].bytes, 4064);
	assert_int_equal(got[1].kind, MEMORY_MANAGED);
	assert_int_equal(got[1].bytes, 2000);
	assert_int_equal(got[1].flags, MEMORY_GLOBAL);
	d.pCubin = NULL;
	assert_false(memory_module(&d, 1));
	assert_false(memory_module(NULL, 1));
	/* Truncated, and with each byte damaged: nothing outside is read. */
	for (i = 0; i < size; i++) {
		uint8_t *end = malloc(i + 1);

		assert_non_null(end);
		memcpy(end, image, i);
		globals_of(end, i);
		free(end);
		memcpy(cut, image, size);
		cut[i] ^= 0xff;
		globals_of(cut, size);
	}
	assert_int_equal(taken(), 0);
}

static int
set_up(void **state)
{
	struct record_CLOCK r = { .real_ns = 1 };

	(void)state;
	emit_init(1);
	EMIT(CLOCK, &r);	/* the first record stands alone */
	calls_init();
	memory_init();
	return 0;
}

TEST_GROUP(set_up, NULL)
