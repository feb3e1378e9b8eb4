/*
 * model/lines/source.h: results by instruction, by source line and by call site: the
 * source tier's part of struct run. Built at a final settle from the records
 * INSTRUCTIONS, SAMPLES, CUBIN, FUNCTION, SOURCE, DISASSEMBLY, SITE and FRAME;
 * lines come from the cubins' line tables (source/cubin.h), facts about opcodes
 * from the disassembly (source/sass.h). All memory is the model's.
 *
 * There are three kinds of data, each present or not (struct code): exact counts per
 * instruction of one launch (tier S), PC samples over all launches of the
 * function (P), static code (X).
 */
#ifndef CADV_MODEL_SOURCE_H
#define CADV_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/reason.h"
#include "facts/stall.h"
#include "source/cubin.h"
#include "source/sass.h"

enum source_metric {
#define SOURCE_METRIC(name, cupti, unit, label) SOURCE_##name,
#include "model/lines/source.def"
	SOURCE_COUNT
};

struct source_metric_info {
	const char *name, *unit, *label;
};
extern const struct source_metric_info source_metric_table[SOURCE_COUNT];
/* The metric of source.def with that CUPTI name; SOURCE_COUNT if unknown. */
enum source_metric source_metric_find(const char *name, size_t len);

/* PC samples of an instruction or line. */
struct samples {
	uint64_t all;			/* samples of a warp */
	uint64_t not_issued;		/* of those: no warp could issue */
	uint32_t stall[STALL_COUNT];	/* all, by stall reason */
};

/* A source file as it was during the run. */
struct source_file {
	const char *path;	/* as the line tables have it */
	const char *text;	/* NULL: not captured */
	size_t size;
	uint64_t id;		/* of path and content; 0 without text */
	const char *missing;	/* why there is no text; NULL */
};

#define LINE_NONE UINT32_MAX

/* A line of a kernel in one inline context. */
struct source_line {
	uint32_t file;		/* index into run->source_file */
	uint32_t line;
	uint32_t inlined_at;	/* index of the calling line, or LINE_NONE */
	const char *function;	/* of the inlined code, demangled; NULL */
	uint32_t instructions;	/* how many it has */
	/* Of its own instructions, without code that is inlined into it: */
	double value[SOURCE_COUNT];	/* NaN: not measured */
	struct samples samples;
};

struct instruction {
	uint32_t pc;
	uint32_t line;		/* index into code->line; LINE_NONE */
	uint32_t sass;		/* index into code->sass.instruction; SASS_NONE */
	double value[SOURCE_COUNT];
	struct samples samples;
};

/* The code of one kernel (signature), with its counts and samples. */
struct code {
	uint64_t cubin;			/* id */
	const char *function;		/* mangled */
	bool counted;			/* tier S: values are there */
	bool sampled;			/* tier P */
	bool disassembled;		/* tier X: sass is there */
	bool has_lines;			/* line numbers are known */
	bool debug;			/* compiled with -G */
	const struct reason *uncounted;	/* why not; NULL if it is */
	const struct reason *lineless;	/* why there are no lines */
	const struct reason *no_sass;	/* why there is no disassembly */
	const struct reason *no_cubin;	/* why its cubin was not read; NULL if
					 * it was */
	bool launches_known;		/* its cubin was searched for launches */
	struct cubin_launch launch[LAUNCHES_MAX];	/* device-side launches; */
	size_t launches;		/* the pc of each is in instruction */
	struct instruction *instruction;	/* by pc; those known */
	size_t instructions;
	struct source_line *line;	/* by file, line, inlined_at */
	size_t lines;
	struct sass sass;
	double together;		/* global loads in flight per warp
					 * (together.h); 0, NaN: unknown */
	double total[SOURCE_COUNT];	/* over all instructions; NaN */
	struct samples samples;
	uint64_t sample_period;		/* cycles; 0 unknown */
	uint32_t sample_kernels;	/* kernels (launch shapes) of the function,
					 * which share these samples */
	double sample_part;		/* fraction of the function's time that this
					 * kernel and those with alike_shapes
					 * (model/alike.h) take, 0..1 */
};

/* One level of a host call stack. */
struct site_frame {
	const char *function;	/* demangled; NULL unknown */
	const char *file;	/* source file; NULL unknown */
	uint32_t line;		/* 0 unknown */
	const char *module;	/* "libtorch_cuda.so"; NULL */
	bool python, inlined, nearest;	/* nearest: function may only be the
					 * nearest exported symbol */
};

#define SITE_DEPTH 64

/* A place in the host program that launches, copies, waits or allocates. */
struct site {
	uint16_t call;		/* enum wire_call; CALL_LAUNCH */
	uint32_t kernel;	/* struct kernel's id of a launch; else 0 */
	uint64_t count;		/* events recorded with this call stack */
	double idle_ns;		/* the GPU idle while the host made no call for 1 ms or
				 * longer, before such a call; not where code was
				 * loaded; an estimate, if only some were looked at */
	double idle_gaps;	/* such times */
	double behind_ns;	/* of idle_ns, behind other copies from the host, few in
				 * a row: a batch's, of which this call copies more */
	uint32_t after;		/* id of the kernel that ran last before most of it; 0:
				 * none */
	uint64_t idle_longest_ns;	/* of all, also where code was loaded */
	unsigned workers, processors;	/* then: processes that the program had forked
					 * to prepare data, and processors that it may
					 * use; 0: none, or not looked */
	struct site_frame *frame;	/* innermost first; Python frames are
					 * in front of the native ones */
	size_t frames;
	size_t first;		/* index of the frame to show: the innermost of
				 * the program's own files, or if there is none of
				 * a package that is no framework (source_first.c) */
};

/* site_own(f): is it Python code of the program itself, not of a framework or of
 * Python's library? */
bool site_own(const struct site_frame *f);

/* site_installed(f): is it Python code in a package that was installed? */
bool site_installed(const struct site_frame *f);

/* site_launches(site, n, kernel, end): where in the sites of a run those that launch
 * ${kernel} begin, and before ${end} end. Others may be among them: few sites are not
 * searched. Each kernel asks, and there may be 8,192 sites. */
size_t site_launches(const struct site *site, size_t n, uint32_t kernel,
    size_t *end);

/* A function whose cubin is complete and whose disassembly is missing. */
struct model_code_want {
	uint64_t cubin;		/* id */
	uint32_t symbol;	/* index in the cubin, as FUNCTION or SAMPLES
				 * have it; 0 unknown */
	const char *function;	/* mangled */
	const uint8_t *bytes;	/* of the cubin, as captured: hostile */
	size_t size;
};

struct model;

/*
 * model_wants_disassembly(m, want, max): list in ${want} up to ${max} functions of
 * kernels that ran (FUNCTION), were counted (INSTRUCTIONS) or sampled (SAMPLES), each
 * once, by time and then by samples, the most first. Returns how many were listed; 0
 * without memory, too. Before or after a settle; the pointers live until the model is
 * freed, feeding DISASSEMBLY does not move them.
 */
size_t model_wants_disassembly(const struct model *m,
    struct model_code_want *want, size_t max);

#endif
