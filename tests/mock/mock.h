/*
 * mock.h: a CUPTI and a driver that need no GPU. One shared library stands in
 * for libcupti.so and libcuda.so: the injection library opens it where
 * CUDADVISE_CUPTI and CUDADVISE_LIBCUDA say, and a target program (target.c)
 * drives it through mock_*: contexts, launches, copies, which the mock turns
 * into the callbacks and activity records that CUPTI would give.
 *
 * Environment:
 *   MOCK_REFUSE=function=code[@n][,…]  that function returns the code (a
 *                       CUptiResult or CUresult), from its n-th call on
 *   MOCK_SLOW=function=ms[@n][,…]  that function takes so long, from its n-th
 *                       call on
 *   MOCK_PASSES=n       every metric set takes n passes
 *   MOCK_PER_PASS=n     else: this many metrics a pass (24), by kinds, not in
 *                       the order in which they were asked for
 *   MOCK_DROP=n         the first n kernel records are dropped, and counted
 *   MOCK_FLUSH_MS=n     cuptiActivityFlushAll takes that long
 *   MOCK_CUPTI=n        the CUPTI version that it says it is (its headers')
 *   MOCK_DRIVER=n       the CUDA version that the driver serves (13000)
 *   MOCK_CHIP=name      chip name (GH100)
 *   MOCK_CUBIN=file     the module that is loaded with the first launch of a
 *                       context (kernels.cubin beside this file)
 *   MOCK_EXCLUSIVE=1    SASS metrics refuse to be enabled beside counters or
 *                       PC sampling (these two never go together)
 *   MOCK_SAMPLING_FULL=n  every n-th cuptiPCSamplingGetData finds it full
 *   MOCK_SAMPLING_DROP=n  samples that the hardware drops before each GetData
 *   MOCK_MACHINE=name   whose GPUs they are (each run's own)
 *   MOCK_MIG=1          the devices are MIG instances
 *   MOCK_MPS=1          contexts are shared through MPS
 *   MOCK_MANAGED=n      more events of managed memory than that are refused (8)
 *   MOCK_HIDDEN=1       the second device is not shown to the program
 *   MOCK_FOREIGN=1      each flush gives back a buffer that nobody gave
 *   MOCK_TRACE=file     appends the name of every CUPTI call, one a line
 *
 * All functions may be called by any thread.
 */
#ifndef CADV_MOCK_H
#define CADV_MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock_context;

struct mock_function {
	char name[64];		/* mangled, as CUPTI gives it */
	uint32_t regs;
	uint32_t smem_static;
	uint64_t duration_ns;	/* of one launch */
};

struct mock_launch {
	const struct mock_function *function;
	uint32_t stream;	/* 0: the null stream */
	uint32_t grid[3], block[3];
	uint32_t smem_dynamic;
	int result;		/* CUresult of the call; not 0: nothing runs */
};

/* mock_init(): what cuInit does: load the library that CUDA_INJECTION64_PATH
 * names and call its InitializeInjection. Returns what that returned, 1 if
 * none is named, -1 with a message in *${why} if it cannot be loaded. */
int mock_init(const char **why);

struct mock_context *mock_context_create(uint32_t device);
void mock_context_destroy(struct mock_context *c);

/* One launch: driver API callbacks around it, one kernel record. Returns the
 * result of the call. */
int mock_kernel_launch(struct mock_context *c, const struct mock_launch *l);

/* cuGraphLaunch: ${n} kernels one after the other, on the first one's stream. */
void mock_graph_launch(struct mock_context *c, const struct mock_launch *l,
    size_t n);

struct mock_copy {
	uint32_t stream;
	int kind;		/* 1 to the device, 2 to the host */
	bool pinned, async;
	uint64_t bytes, dst, src;
};

/* cudaMemcpy or, asynchronous, cudaMemcpyAsync, which end in the driver. */
void mock_copy(struct mock_context *c, const struct mock_copy *copy);
/* cudaMemcpyPeer between two GPUs without peer access: CUPTI shows the two
 * halves of the way through the host, with one correlation id. */
void mock_copy_peer(struct mock_context *from, struct mock_context *to,
    uint64_t bytes);
/* cudaDeviceEnablePeerAccess: ${driver}: the driver's call alone. */
void mock_enable_peer(struct mock_context *c, struct mock_context *peer,
    bool driver);
/* cudaMallocManaged, and a kernel that faults on every 2 MiB of it; none of it
 * is seen by who does not watch. */
void mock_managed(struct mock_context *c, uint64_t bytes);

/* Pinned host memory is allocated; a stream is made. Only the calls. */
void mock_host_alloc(struct mock_context *c, uint64_t bytes);
void mock_stream_make(struct mock_context *c, bool blocking);

/* cuStreamWaitValue32: a stream without a launch waits for so long. */
void mock_wait_value(struct mock_context *c, unsigned long ms);

/* A host function that takes ${ms} milliseconds on a stream of its own. */
void mock_host_function(struct mock_context *c, unsigned long ms);

/* A stream capture begins or ends; nothing is recorded in it. What must not be
 * called meanwhile is in the trace as "captured FUNCTION". */
void mock_capture(struct mock_context *c, uint32_t stream, bool per_thread,
    bool on);
void mock_memset(struct mock_context *c, uint32_t stream, uint64_t bytes);
/* cudaMalloc and cudaFree; the address is made up. */
uint64_t mock_malloc(struct mock_context *c, uint64_t bytes);
void mock_free(struct mock_context *c, uint64_t address);
/* A pointer of another process's pool is imported and released, in which CUPTI
 * 13.0 dies (SIGSEGV) if it records allocations (MEMORY2). */
void mock_import(struct mock_context *c);
/* cudaDeviceSynchronize: waits until the mock's streams are idle. */
void mock_synchronize(struct mock_context *c);
/* The driver compiles PTX for ${ms} milliseconds. */
void mock_jit(struct mock_context *c, unsigned long ms);

/* mock_value(metric, kernel): the value of a counter of one launch. */
double mock_value(const char *metric, const char *kernel);

/*
 * mock_sass_value(metric, l, pc, value): what a SASS metric counts at an
 * instruction in one launch. False if it does not patch that instruction, or
 * there is none.
 */
bool mock_sass_value(const char *metric, const struct mock_launch *l,
    uint32_t pc, uint64_t *value);

#endif
