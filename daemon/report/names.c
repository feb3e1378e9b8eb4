#include <math.h>
#include <stddef.h>

#include "facts/permission.h"
#include "model/model.h"

#include "report/names.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *
look_up(const char *const *names, size_t count, int i)
{

	if (i < 0 || (size_t)i >= count || names[i] == NULL)
		return "unknown";
	return names[i];
}

const char *
name_level(int level)
{
	const char *word = level_word((unsigned)level);

	return word != NULL ? word : "unknown";
}

const char *
name_copy(int kind)
{
	static const char *const names[COPY_KINDS] = {
		[COPY_H2D] = "h2d",
		[COPY_D2H] = "d2h",
		[COPY_D2D] = "d2d",
		[COPY_H2H] = "h2h",
		[COPY_P2P] = "p2p",
	};

	return look_up(names, COUNT(names), kind);
}

const char *
name_memory(int memory)
{
	static const char *const names[MEMORY_KINDS] = {
		[MEMORY_PAGEABLE] = "pageable",
		[MEMORY_PINNED] = "pinned",
		[MEMORY_DEVICE] = "device",
		[MEMORY_ARRAY] = "array",
		[MEMORY_MANAGED] = "managed",
		[MEMORY_STATIC] = "static",
	};

	return look_up(names, COUNT(names), memory);
}

const char *
name_check(int state)
{
	static const char *const names[RAN_STATES] = {
		[RAN_DONE] = "done",
		[RAN_PARTIAL] = "partial",
		[RAN_TIMEOUT] = "timeout",
		[RAN_NO_GPU] = "no_gpu",
		[RAN_FAILED] = "failed",
	};

	return look_up(names, COUNT(names), state);
}

const char *
name_bye(int bye)
{
	static const char *const names[] = {
		[BYE_EXIT] = "exit",
		[BYE_SIGNAL] = "signal",
		[BYE_DETACH] = "detach",
	};

	return look_up(names, COUNT(names), bye);
}

const char *
name_loss(int loss)
{
	static const char *const names[LOSS_CLASSES] = {
		[LOSS_CUPTI] = "cupti",
		[LOSS_QUEUE] = "queue",
		[LOSS_SPOOL] = "spool",
		[LOSS_TIMESTAMP] = "timestamp",
		[LOSS_TABLE] = "table",
		[LOSS_RANGE] = "ranges",
	};

	return look_up(names, COUNT(names), loss);
}

const char *
name_severity(int severity)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return look_up(names, COUNT(names), severity);
}

static const struct {
	const char *name, *remedy;
} diagnostics[DIAG_CODES] = {
	[DIAG_NONE] = { "none", NULL },
	[DIAG_PERMISSION] = { "permission",
	    PERMISSION_ADDS ". To get it: " PERMISSION_HOW },
	[DIAG_HARDWARE_BUSY] = { "hardware_busy",
	    "stop the other profiler (ncu, nsys, `dcgmi profpause`) and run "
	    "again" },
	[DIAG_SUBSCRIBER] = { "subscriber",
	    "another tool has subscribed to CUPTI in this process: switch off "
	    "its profiler and run again" },
	[DIAG_CUPTI_MISSING] = { "cupti_missing",
	    "install the toolkit's CUPTI, or put its lib64 into "
	    "LD_LIBRARY_PATH" },
	[DIAG_CUPTI_VERSION] = { "cupti_version",
	    "use a CUPTI of a CUDA that cudadvise was built for, from 12.6 on: "
	    "`cudadvise doctor` says which" },
	[DIAG_DRIVER_OLD] = { "driver_old",
	    "update the driver, or build cudadvise with a toolkit of the "
	    "driver's CUDA: `cudadvise doctor` says which" },
	[DIAG_MIG] = { "mig",
	    "counters of a MIG slice need a driver that offers them; run on a "
	    "whole GPU to have them" },
	[DIAG_MPS] = { "mps",
	    "run without MPS (unset CUDA_MPS_PIPE_DIRECTORY) to have counters" },
	[DIAG_UNSUPPORTED_GPU] = { "unsupported_gpu",
	    "counters need compute capability 7.5 or newer" },
	[DIAG_NO_METRICS] = { "no_metrics",
	    "look at the list of counters: config/metrics/counters.metrics" },
	[DIAG_COUNTER_FAILED] = { "counter_failed", NULL },
	[DIAG_ACTIVITY_FAILED] = { "activity_failed", NULL },
	[DIAG_FATAL] = { "fatal", NULL },
	[DIAG_FORK] = { "fork", NULL },
	[DIAG_BUDGET] = { "budget", "raise --overhead-budget" },
	[DIAG_FLUSH_TIMEOUT] = { "flush_timeout", NULL },
	[DIAG_SPOOLED] = { "spooled", NULL },
	[DIAG_CLOCK_STEP] = { "clock_step", NULL },
	[DIAG_CALL_FAILED] = { "call_failed", NULL },
	[DIAG_NO_CUDA] = { "no_cuda", NULL },
	[DIAG_SOURCE_FAILED] = { "source_failed",
	    "lines and instructions are missing for some kernels; everything "
	    "else was measured. `cudadvise doctor` checks what counting them "
	    "needs" },
	[DIAG_SAMPLING_FAILED] = { "sampling_failed",
	    "stall reasons are missing; everything else was measured. Another "
	    "profiler that samples (ncu, nsys) must not run at the same time" },
	[DIAG_SAMPLING_FULL] = { "sampling_full",
	    "some samples were dropped: shares of lines are of the samples "
	    "that were kept" },
	[DIAG_NO_DISASSEMBLER] = { "no_disassembler",
	    "install the CUDA toolkit's nvdisasm where the daemon runs, or "
	    "name it in CUDADVISE_NVDISASM, then `cudadvise reanalyze RUN`" },
	[DIAG_DISASSEMBLY_FAILED] = { "disassembly_failed",
	    "`cudadvise reanalyze RUN` tries again; an nvdisasm older than the "
	    "GPU does not know its code (CUDADVISE_NVDISASM names another)" },
	[DIAG_NAMES_RAW] = { "names_raw", NULL },
	[DIAG_RANGES] = { "ranges", NULL },
};

const char *
name_diagnostic(int code)
{

	if (code < 0 || code >= DIAG_CODES || diagnostics[code].name == NULL)
		return "unknown";
	return diagnostics[code].name;
}

const char *
remedy_diagnostic(int code)
{

	if (code < 0 || code >= DIAG_CODES)
		return NULL;
	return diagnostics[code].remedy;
}

enum measured
measured_of(const struct kernel *k)
{
	int i;

	if (k->metric_complete)
		return MEASURED_FULL;
	for (i = 0; i < METRIC_COUNT; i++)
		if (isfinite(k->metric[i]))
			return MEASURED_PART;
	return MEASURED_NONE;
}

const char *
name_measured(enum measured m)
{
	static const char *const names[] = {
		[MEASURED_FULL] = "full", [MEASURED_PART] = "part",
		[MEASURED_NONE] = "none",
	};

	return look_up(names, COUNT(names), (int)m);
}
