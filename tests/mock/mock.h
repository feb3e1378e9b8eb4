/*
 * mock.h: CUPTI and a driver without a GPU. One shared library replaces
 * libcupti.so and libcuda.so: the injection library opens it through
 * CUDADVISE_CUPTI and CUDADVISE_LIBCUDA, and a target program (target.c) drives
 * it with mock_*: contexts, launches, copies, for which the mock calls the
 * callbacks and writes the activity records of CUPTI.
 *
 * Environment:
 *    MOCK_REFUSE=function=code[@n][,…]  that function returns the code (a
 * 	CUptiResult or CUresult), from its n-th call on
 *    MOCK_SLOW=function=ms[@n][,…]  that function takes this long, from its n-th
 * 	call on
 *    MOCK_PASSES=n	every metric set takes n passes
 *    MOCK_PER_PASS=n	otherwise: metrics per pass (24), grouped by kind, not
 * 	in the order in which they were added
 *    MOCK_DROP=n		the first n kernel records are dropped, and counted
 *    MOCK_FLUSH_MS=n	cuptiActivityFlushAll takes this long, and says so
 *    MOCK_CUPTI=n	the CUPTI version that it returns (its headers')
 *    MOCK_DRIVER=n	the CUDA version of the driver (13000)
 *    MOCK_CHIP=name	chip name (GH100)
 *    MOCK_CUBIN=file	the module that the first launch of a context loads
 * 	(kernels.cubin beside this file)
 *    MOCK_EXCLUSIVE=1	SASS metrics cannot be enabled beside counters or PC
 * 	sampling (the range profiler and PC sampling always exclude
 * 	each other)
 *    MOCK_PATCHED_MS=n	a kernel whose instructions are counted takes so much longer:
 * 	it waits for the host
 *    MOCK_LOAD_WAITS=1	to load or unload a module waits for the kernels that run,
 * 	and holds the driver's lock meanwhile: launches and queries of
 * 	streams wait for it; "stuck cuStreamQuery" in the trace if 10 ms
 *    MOCK_SAMPLING_FULL=n  every n-th cuptiPCSamplingGetData finds it full
 *    MOCK_SAMPLING_DROP=n  samples that the hardware drops before each GetData
 *    MOCK_MACHINE=name	the machine that the GPUs belong to (each run's own)
 *    MOCK_MIG=1		the devices are MIG instances
 *    MOCK_MPS=1		contexts are shared through MPS
 *    MOCK_MANAGED=n	a list of more kinds of managed-memory events is
 * 	refused (8)
 *    MOCK_HIDDEN=1	the second device is not visible to the program
 *    MOCK_PEERS_BREAK=1	to launch a graph while copies between GPUs are traced ends
 * 	the program
 *    MOCK_COPIES_BREAK=1	the same while any copies are traced
 *    MOCK_FOREIGN=1	each flush returns a buffer of another client
 *    MOCK_TRACE=file	appends the name of every CUPTI call, one a line;
 * 	"unrelaxed FUNCTION" where the call would break a stream capture that
 * 	another thread begins just then
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
	bool unloads;		/* it is freed after its launches: CUPTI keeps a copy
				 * of its name */
};

struct mock_launch {
	const struct mock_function *function;
	uint32_t stream;	/* 0: the null stream */
	uint32_t grid[3], block[3];
	uint32_t smem_dynamic;
	int result;		/* CUresult of the call; if not 0 no kernel runs */
	bool delays;		/* the kernel ends at mock_release of its stream; its
				 * duration is the longest that it waits */
};

/* mock_init(): as cuInit: load the library that CUDA_INJECTION64_PATH names and
 * call its InitializeInjection. Returns its result, 1 if none is named, -1 with
 * a message in *${why} if it cannot be loaded. */
int mock_init(const char **why);

struct mock_context *mock_context_create(uint32_t device);
void mock_context_destroy(struct mock_context *c);

/* One launch: driver API callbacks around it, one kernel record. Returns the
 * result of the call. */
int mock_kernel_launch(struct mock_context *c, const struct mock_launch *l);

/* The host lets the kernel go on that waits on ${stream}. */
void mock_release(struct mock_context *c, uint32_t stream);

/* cuGraphLaunch: ${n} kernels one after the other, on the first one's stream. */
void mock_graph_launch(struct mock_context *c, const struct mock_launch *l,
    size_t n);

struct mock_copy {
	uint32_t stream;
	int kind;		/* 1 to the device, 2 to the host */
	bool pinned, async;
	uint64_t bytes, dst, src;
};

/* cudaMemcpy or, if asynchronous, cudaMemcpyAsync, with the driver's call
 * inside. */
void mock_copy(struct mock_context *c, const struct mock_copy *copy);
/* cudaMemcpyPeer between two GPUs without peer access: CUPTI records the two
 * halves of the copy through the host, with one correlation id. */
void mock_copy_peer(struct mock_context *from, struct mock_context *to,
    uint64_t bytes);
/* cudaDeviceEnablePeerAccess; ${driver}: only the driver's call. */
void mock_enable_peer(struct mock_context *c, struct mock_context *peer,
    bool driver);
/* cudaMallocManaged, and a kernel that faults on every 2 MiB of it. Records are
 * written only if managed-memory events are enabled. */
void mock_managed(struct mock_context *c, uint64_t bytes);

/* The calls that allocate pinned host memory and create a stream, nothing else. */
void mock_host_alloc(struct mock_context *c, uint64_t bytes);
void mock_stream_make(struct mock_context *c, bool blocking);

/* cuStreamDestroy. A query of the stream that has not returned, or comes later,
 * is in the trace as "stale cuStreamQuery": on a GPU it would read freed
 * memory. The number of the stream is below MOCK_NUMBERS. */
#define MOCK_NUMBERS 65536
void mock_stream_destroy(struct mock_context *c, uint32_t stream);

/* cuModuleLoadData and cuModuleUnload. */
struct mock_module;
struct mock_module *mock_module_open(struct mock_context *c);
void mock_module_close(struct mock_context *c, struct mock_module *m);

/* cuStreamWaitValue32: a stream without launches waits for ${ms}. */
void mock_wait_value(struct mock_context *c, unsigned long ms);

/* cuLaunchHostFunc: a host function that takes ${ms} milliseconds, on a stream
 * of its own. */
void mock_host_function(struct mock_context *c, unsigned long ms);

/* Begins or ends a stream capture, in which nothing is recorded. Calls that are
 * illegal during a capture are in the trace as "captured FUNCTION". */
void mock_capture(struct mock_context *c, uint32_t stream, bool per_thread,
    bool on);
void mock_memset(struct mock_context *c, uint32_t stream, uint64_t bytes);
/* cudaMalloc and cudaFree; the address is made up. */
uint64_t mock_malloc(struct mock_context *c, uint64_t bytes);
void mock_free(struct mock_context *c, uint64_t address);
/* An array of 64 x 32 floats and a texture object for it are made and destroyed again.
 * With ${hidden} only the calls of the runtime have callbacks. */
void mock_texture(struct mock_context *c, bool hidden);
/* Imports a pointer from another process's pool and releases it. CUPTI 13.0
 * crashes (SIGSEGV) in this if it records allocations (MEMORY2). */
void mock_import(struct mock_context *c);
/* cuStreamSynchronize. */
void mock_stream_synchronize(struct mock_context *c, uint32_t stream);
/* cudaDeviceSynchronize: waits until the mock's streams are idle. */
void mock_synchronize(struct mock_context *c);
/* Takes ${ms} milliseconds, as if the driver compiled PTX. */
void mock_jit(struct mock_context *c, unsigned long ms);

/* mock_value(metric, kernel): the value of a counter of one launch. */
double mock_value(const char *metric, const char *kernel);

/*
 * mock_sass_value(metric, l, pc, value): the count of a SASS metric at an
 * instruction in one launch. False if the metric does not patch that
 * instruction, or does not exist.
 */
bool mock_sass_value(const char *metric, const struct mock_launch *l,
    uint32_t pc, uint64_t *value);

#endif
