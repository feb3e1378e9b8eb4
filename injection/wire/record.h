/*
 * wire/record.h: the inner layer of the protocol (PROTOCOL.md, section 3): structs,
 * encoders and decoders for the records of record.def. Decoders are pure over a buffer;
 * strings and blobs in a decoded struct point into it.
 */
#ifndef CADV_WIRE_RECORD_H
#define CADV_WIRE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/level.h"

#define WIRE_PROTOCOL 1u
#define RECORD_HEADER_SIZE 8u		/* u16 type, u16 reserved, u32 length */
#define RECORD_MAX_PAYLOAD (1u << 20)	/* bytes */
#define RECORD_MAX_STRING 65535u

struct wire_str {
	const char *p;		/* without terminator */
	uint32_t len;
};

struct wire_blob {
	const uint8_t *p;
	uint32_t len;
};

enum wire_hello_flag {
	HELLO_JIT = 1,		/* JIT records are enabled in CUPTI */
};

enum wire_jit { JIT_UNKNOWN, JIT_LOAD, JIT_STORE, JIT_COMPILE };

enum wire_bye {
	BYE_EXIT = 1,		/* exit() or return from main */
	BYE_SIGNAL = 2,		/* a fatal signal that the library notices */
	BYE_DETACH = 3,		/* measuring stopped, but the program went on */
};

enum wire_signature_flag {
	SIGNATURE_COOPERATIVE = 1,
	SIGNATURE_GRAPH = 2,		/* seen inside a graph */
	SIGNATURE_DEVICE_LAUNCHED = 4,
	SIGNATURE_COMMUNICATION = 8,	/* NCCL, NVSHMEM: never serialised */
	SIGNATURE_ROUNDED = 16,		/* the grid is about that of its launches */
};

enum wire_kernel_flag {
	KERNEL_PROFILED = 1,	/* measured: its duration includes the counters */
	KERNEL_NO_TIME = 2,	/* CUPTI gave no timestamps */
};

enum wire_range_flag {
	RANGE_CUT = 1,		/* the range was open when recording ended */
};

enum wire_copy {
	COPY_UNKNOWN, COPY_H2D, COPY_D2H, COPY_D2D, COPY_H2H, COPY_P2P,
	COPY_KINDS
};

enum wire_memory {
	MEMORY_UNKNOWN, MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_DEVICE,
	MEMORY_ARRAY, MEMORY_MANAGED, MEMORY_STATIC, MEMORY_KINDS
};

enum wire_memory_flag {
	MEMORY_ASYNC = 1,	/* stream-ordered */
	MEMORY_INTERNAL = 2,	/* of the CUDA runtime itself */
	MEMORY_GLOBAL = 4,	/* the variables of a module: no address */
};

enum wire_failure_flag {
	FAILURE_LAUNCH = 1,		/* the launch's fields are valid */
	FAILURE_FUNCTION = 2,		/* the function's attributes are valid */
	FAILURE_COOPERATIVE = 4,
};

enum wire_copy_flag { COPY_ASYNC = 1, COPY_GRAPH = 2 };

enum wire_device_flag {
	DEVICE_HIDDEN = 1,	/* in the machine, but the program cannot see it */
};

enum wire_peer_flag {
	PEER_CAN = 1,		/* the driver reports it as possible */
	PEER_ENABLED = 2,	/* the program enabled it */
};

/* CUpti_ActivityUnifiedMemoryCounterKind; value 0 is our own. */
enum wire_uvm {
	UVM_WATCHED,		/* events are recorded from now on (flags 0), or
				 * cannot be (flags: the CUptiResult) */
	UVM_H2D, UVM_D2H,	/* bytes migrated, with begin and end */
	UVM_CPU_FAULT,		/* one fault; no duration */
	UVM_GPU_FAULT,		/* bytes: number of fault groups; time to serve them */
	UVM_THRASHING,		/* bytes of the region; no duration */
	UVM_THROTTLING,		/* one processor was throttled */
	UVM_REMOTE_MAP,		/* bytes of the region; no duration */
	UVM_D2D,
	UVM_KINDS
};

/* Why pages migrated: CUpti_ActivityUnifiedMemoryMigrationCause. */
enum wire_uvm_cause {
	UVM_UNKNOWN,
	UVM_USER,		/* requested by the program:
				 * cudaMemPrefetchAsync */
	UVM_COHERENCE,		/* a fault */
	UVM_PREFETCH,		/* the driver's prefetch after faults */
	UVM_EVICTION, UVM_ACCESS_COUNTERS
};

enum wire_sync {
	SYNC_UNKNOWN, SYNC_EVENT, SYNC_STREAM_WAIT_EVENT, SYNC_STREAM,
	SYNC_CONTEXT, SYNC_KINDS
};

/* The API calls that rules need; a runtime call and the driver call of the same purpose
 * share one value. */
#define WIRE_CALLS(X)							\
	X(UNKNOWN, "(unknown)")						\
	X(LAUNCH, "launch") X(GRAPH_LAUNCH, "cudaGraphLaunch")		\
	X(GRAPH_INSTANTIATE, "cudaGraphInstantiate")			\
	X(MEMCPY, "cudaMemcpy") X(MEMCPY_ASYNC, "cudaMemcpyAsync")	\
	X(MEMSET, "cudaMemset") X(MEMSET_ASYNC, "cudaMemsetAsync")	\
	X(MALLOC, "cudaMalloc") X(FREE, "cudaFree")			\
	X(MALLOC_ASYNC, "cudaMallocAsync") X(FREE_ASYNC, "cudaFreeAsync") \
	X(MALLOC_HOST, "cudaMallocHost") X(FREE_HOST, "cudaFreeHost")	\
	X(HOST_REGISTER, "cudaHostRegister")				\
	X(HOST_UNREGISTER, "cudaHostUnregister")			\
	X(MALLOC_MANAGED, "cudaMallocManaged")				\
	X(DEVICE_SYNC, "cudaDeviceSynchronize")				\
	X(STREAM_SYNC, "cudaStreamSynchronize")				\
	X(EVENT_SYNC, "cudaEventSynchronize")				\
	X(MODULE_LOAD, "cuModuleLoad")					\
	X(DEVICE_RESET, "cudaDeviceReset")				\
	X(GET_LAST_ERROR, "cudaGetLastError") X(OTHER, "(other)")	\
	X(MALLOC_ARRAY, "cudaMallocArray") X(FREE_ARRAY, "cudaFreeArray") \
	X(CREATE_TEXTURE, "cudaCreateTextureObject")			\
	X(DESTROY_TEXTURE, "cudaDestroyTextureObject")			\
	X(CREATE_SURFACE, "cudaCreateSurfaceObject")			\
	X(DESTROY_SURFACE, "cudaDestroySurfaceObject")			\
	X(NONE, "(no call)")

enum wire_call {
#define X(name, text) CALL_##name,
	WIRE_CALLS(X)
#undef X
	CALL_COUNT
};

/* Does it make or destroy a texture or surface object, which has no memory of its own? */
static inline bool
call_is_object(unsigned call)
{

	return call >= CALL_CREATE_TEXTURE && call <= CALL_DESTROY_SURFACE;
}

enum wire_cubin_flag {
	CUBIN_WITHHELD = 1,	/* beyond a limit: no BYTES follow */
};

enum wire_source_flag {
	SOURCE_WITHHELD = 1,	/* beyond a limit, or not readable */
};

enum wire_bytes { BYTES_CUBIN = 1, BYTES_SOURCE = 2 };

enum wire_frame_flag {
	FRAME_EXPORTED = 1,	/* from the dynamic symbol table: may be the nearest
				 * exported symbol instead of the function itself */
};

enum wire_mode {
	MODE_SINGLE_PASS = 1,	/* all values from one launch */
	MODE_SPREAD = 2,	/* passes spread over launches */
	MODE_REPLAY = 3,	/* the kernel was replayed */
};

enum wire_skip {
	SKIP_NONE, SKIP_PERMISSION, SKIP_BUSY, SKIP_UNSUPPORTED, SKIP_NCCL,
	SKIP_COOPERATIVE, SKIP_GRAPH, SKIP_BUDGET, SKIP_TOO_FEW_LAUNCHES,
	SKIP_LEVEL, SKIP_CAPTURING, SKIP_FAILED, SKIP_CONCURRENT,
	SKIP_MINOR,	/* short and rare: memory counters would cost more than they
			 * tell */
	SKIP_WAITS,	/* it did not end in time while the host was held */
	SKIP_STALL,	/* it takes longer than a hold may last (--max-stall) */
	SKIP_LATE,	/* first launched after the counters that decide most had
			 * been collected for the other kernels */
	SKIP_EXCLUDED,	/* not matched by --kernel */
	SKIP_RANGE,	/* not in the range of --launches */
	SKIP_UNLIKE,	/* set by the daemon: the launches that take the time are far
			 * longer than those that were measured */
	SKIP_GRAPHS,	/* the program runs graphs, and counts by instruction came
			 * before the other counters */
	SKIP_REASONS
};

/* Why records were lost. */
enum wire_loss {
	LOSS_CUPTI,		/* CUPTI dropped records */
	LOSS_QUEUE,		/* our queue of frames was full */
	LOSS_SPOOL,		/* the spool file could not be written */
	LOSS_TIMESTAMP,		/* kernels with zero timestamps */
	LOSS_TABLE,		/* a table of the library was full: signatures, strings */
	LOSS_RANGE,		/* too many NVTX ranges at the same time */
	LOSS_CLASSES
};

enum wire_overhead {
	OVERHEAD_UNKNOWN, OVERHEAD_CUPTI_BUFFER, OVERHEAD_CUPTI_INSTRUMENT,
	OVERHEAD_CUPTI_RESOURCE, OVERHEAD_CUPTI_OTHER,
	OVERHEAD_COUNTERS,	/* reading counters, comparing the bytes of copies */
	OVERHEAD_SETUP, OVERHEAD_CALLBACK, OVERHEAD_SOURCE, OVERHEAD_SAMPLING,
	OVERHEAD_WAIT,		/* a launch of another thread waited at the gate */
	OVERHEAD_KINDS
};

enum wire_diag {
	DIAG_NONE, DIAG_PERMISSION, DIAG_HARDWARE_BUSY, DIAG_SUBSCRIBER,
	DIAG_CUPTI_MISSING, DIAG_CUPTI_VERSION, DIAG_DRIVER_OLD, DIAG_MIG,
	DIAG_MPS, DIAG_UNSUPPORTED_GPU, DIAG_NO_METRICS, DIAG_COUNTER_FAILED,
	DIAG_ACTIVITY_FAILED, DIAG_FATAL, DIAG_FORK, DIAG_BUDGET,
	DIAG_FLUSH_TIMEOUT, DIAG_SPOOLED, DIAG_CLOCK_STEP, DIAG_CALL_FAILED,
	DIAG_NO_CUDA, DIAG_SOURCE_FAILED, DIAG_SAMPLING_FAILED,
	DIAG_SAMPLING_FULL, DIAG_NO_DISASSEMBLER, DIAG_DISASSEMBLY_FAILED,
	DIAG_NAMES_RAW, DIAG_RANGES,
	DIAG_CODES
};

enum wire_severity { SEVERITY_INFO = 1, SEVERITY_WARNING, SEVERITY_ERROR };

/* NVIDIA's correctness tools. */
#define WIRE_TOOLS(X)							\
	X(UNKNOWN, "(unknown)") X(MEMCHECK, "memcheck")			\
	X(RACECHECK, "racecheck") X(INITCHECK, "initcheck")		\
	X(SYNCCHECK, "synccheck")

enum wire_tool {
#define X(name, text) TOOL_##name,
	WIRE_TOOLS(X)
#undef X
	TOOL_COUNT
};

/* How a tool ended. */
enum wire_ran {
	RAN_UNKNOWN,
	RAN_DONE,		/* the tool and the program ended normally */
	RAN_PARTIAL,		/* the program failed; the rest of it was not checked */
	RAN_TIMEOUT,		/* ended by --timeout */
	RAN_NO_GPU,		/* the program used no GPU */
	RAN_FAILED,		/* the tool wrote no report */
	RAN_STATES
};

/* What a report of a tool is about. */
enum wire_defect {
	DEFECT_UNKNOWN,		/* see its text */
	DEFECT_BOUNDS,		/* access out of bounds */
	DEFECT_MISALIGNED,
	DEFECT_LIFETIME,	/* before an allocation or after its release */
	DEFECT_HEAP,		/* free() in a kernel */
	DEFECT_LEAK,
	DEFECT_API,		/* a call that failed */
	DEFECT_FAULT,		/* reported by the hardware */
	DEFECT_RACE,
	DEFECT_UNINITIALISED,
	DEFECT_DIVERGENT,	/* a barrier that not all threads reach */
	DEFECT_BARRIER,		/* another misuse of a barrier */
	DEFECT_KINDS
};

enum wire_defect_flag {
	DEFECT_THREAD = 1,	/* thread and block are known */
	DEFECT_ADDRESS = 2,	/* address is valid */
};

enum record_type {
#define RECORD(name, number, doc, fields) RECORD_##name = number,
#include "record.def"
};

#define U8(n) uint8_t n;
#define U16(n) uint16_t n;
#define U32(n) uint32_t n;
#define U64(n) uint64_t n;
#define F64(n) double n;
#define STR(n) struct wire_str n;
#define BLOB(n) struct wire_blob n;
#define RECORD(name, number, doc, fields) struct record_##name { fields };
#include "record.def"
#undef U8
#undef U16
#undef U32
#undef U64
#undef F64
#undef STR
#undef BLOB

/* Any decoded record. */
struct record {
	uint16_t type;		/* enum record_type, or an unknown one */
	union {
#define RECORD(name, number, doc, fields) struct record_##name name;
#include "record.def"
	} u;
};

/*
 * record_put_NAME(buf, cap, r): encode ${r} with its record header at ${buf}.
 * Returns the bytes written (a multiple of 8), or 0 if ${cap} is too small or
 * a string or blob is over its limit. Never writes past ${cap}.
 */
#define RECORD(name, number, doc, fields)				\
	size_t record_put_##name(uint8_t *buf, size_t cap,		\
	    const struct record_##name *r);
#include "record.def"

/*
 * record_next(buf, len, pos, r): decode the record at ${buf} + *${pos} into ${r} and
 * advance *${pos}. Returns 1 for a record (if its type is unknown only ${r}->type is
 * set), 0 at the end of the buffer, -1 if the bytes are no record.
 */
int record_next(const uint8_t *buf, size_t len, size_t *pos,
    struct record *r);

/* record_name(type): "KERNEL", or NULL for an unknown type. */
const char *record_name(uint16_t type);

/* wire_call_name(call): the name of an enum wire_call, "cudaMemcpy"; never NULL. */
const char *wire_call_name(uint16_t call);

/* wire_tool_name(tool): the name of an enum wire_tool, "memcheck"; never NULL. */
const char *wire_tool_name(uint32_t tool);

/* wire_str_of(s): a wire_str of the C string ${s} (NULL: empty), cut to
 * RECORD_MAX_STRING bytes. It points to ${s}. */
struct wire_str wire_str_of(const char *s);

#endif
