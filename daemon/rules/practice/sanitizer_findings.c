/*
 * sanitizer-findings: what compute-sanitizer's tools reported when `cudadvise
 * sanitize` ran them: accesses outside of the program's memory, races, reads of
 * uninitialised memory, barriers that not all threads reach. A finding is one
 * place in the program, however many threads come by.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/engine/rule.h"

#define FINDINGS 100
#define WHERE_MAX 120		/* bytes of a kernel's name */

/* What each kind of report means, and what to write instead. */
struct lesson {
	const char *title, *advice, *bad, *good;
	enum severity severity;
	enum confidence confidence;
};

static const struct lesson lessons[DEFECT_KINDS] = {
	[DEFECT_UNKNOWN] = { "reported by compute-sanitizer",
	    "look at the line with the tool's words in mind; its manual "
	    "explains them",
	    "", "", SEV_MEDIUM, CONF_MEDIUM },
	[DEFECT_BOUNDS] = { "access out of bounds",
	    "compare the index with the length before the access: the last "
	    "block has threads beyond the end, and i + 1 ends one earlier",
	    "out[i] = in[i + 1];",
	    "if (i + 1 < n)\n    out[i] = in[i + 1];",
	    SEV_HIGH, CONF_HIGH },
	[DEFECT_MISALIGNED] = { "misaligned access",
	    "an access of 8 or 16 bytes needs an address that is a multiple "
	    "of its size: align the offset, or load element by element",
	    "float4 v = *(float4 *)(p + 1);",
	    "float4 v = *(float4 *)(p + 4);    // p on 16 bytes",
	    SEV_HIGH, CONF_HIGH },
	[DEFECT_LIFETIME] = { "memory used before it is there or after",
	    "an allocation of one stream is not there for another before an "
	    "event says so: record one behind cudaMallocAsync, and let "
	    "cudaFreeAsync wait for the last use",
	    "cudaMallocAsync(&p, bytes, a);\nuse<<<g, b, 0, other>>>(p);",
	    "cudaMallocAsync(&p, bytes, a);\ncudaEventRecord(there, a);\n"
	    "cudaStreamWaitEvent(other, there);\nuse<<<g, b, 0, other>>>(p);",
	    SEV_HIGH, CONF_HIGH },
	[DEFECT_HEAP] = { "wrong free() in a kernel",
	    "free what malloc() in a kernel returned, once, in one thread",
	    "free(p);    // every thread the same p",
	    "if (threadIdx.x == 0)\n    free(p);",
	    SEV_HIGH, CONF_HIGH },
	[DEFECT_LEAK] = { "device memory never freed",
	    "pair every cudaMalloc with a cudaFree; RAII in C++",
	    "cudaMalloc(&p, bytes);\nreturn;",
	    "cudaMalloc(&p, bytes);\n…\ncudaFree(p);",
	    SEV_LOW, CONF_HIGH },
	[DEFECT_API] = { "CUDA call failed",
	    "check the result of every CUDA call, and its arguments here",
	    "cudaMemcpy(d, h, bytes, kind);",
	    "cudaError_t e = cudaMemcpy(d, h, bytes, kind);\n"
	    "if (e != cudaSuccess)\n    fail(cudaGetErrorString(e));",
	    SEV_LOW, CONF_HIGH },
	[DEFECT_FAULT] = { "hardware exception",
	    "the hardware stopped the kernel and names no thread: build with "
	    "-lineinfo and run memcheck on this kernel alone",
	    "", "", SEV_HIGH, CONF_HIGH },
	[DEFECT_RACE] = { "race in shared memory",
	    "put __syncthreads() (inside one warp __syncwarp()) between the "
	    "write and the other threads' access; where all write one place, "
	    "let one thread do it or use an atomic",
	    "tile[t] = in[i];\nout[i] = tile[n - 1 - t];",
	    "tile[t] = in[i];\n__syncthreads();\nout[i] = tile[n - 1 - t];",
	    SEV_HIGH, CONF_MEDIUM },
	[DEFECT_UNINITIALISED] = { "read of memory nobody wrote",
	    "write this memory before it is read: cudaMemset counts bytes, not elements, and a "
	    "kernel before this one may stop short of the end",
	    "cudaMemset(p, 0, n);",
	    "cudaMemset(p, 0, n * sizeof(*p));",
	    SEV_MEDIUM, CONF_MEDIUM },
	[DEFECT_DIVERGENT] = { "barrier that not all threads reach",
	    "take the barrier out of the condition, and let no thread return "
	    "before it",
	    "if (i < n) {\n    tile[t] = in[i];\n    __syncthreads();\n}",
	    "if (i < n)\n    tile[t] = in[i];\n__syncthreads();",
	    SEV_MEDIUM, CONF_MEDIUM },
	[DEFECT_BARRIER] = { "barrier used wrongly",
	    "each thread that comes to __syncwarp(mask) must be in the mask; "
	    "a cuda::barrier is initialised before its first use, and each "
	    "phase is waited for",
	    "if (lane <= 16)\n    __syncwarp(0xffff);",
	    "if (lane < 16)\n    __syncwarp(0xffff);",
	    SEV_MEDIUM, CONF_MEDIUM },
};

/* --- words ------------------------------------------------------------------ */

/* "shift" of "void rows::shift<int>(const float *)". */
static const char *
short_name(struct arena *a, const char *full)
{
	size_t end = strcspn(full, "(<"), begin;

	/* "(anonymous namespace)::f()" and "operator()" stay whole. */
	if (end == 0 || full[0] == '(' || strstr(full, "operator") != NULL)
		return arena_format(a, "%.*s", WHERE_MAX, full);
	for (begin = end; begin > 0 && full[begin - 1] != ' ' &&
	    full[begin - 1] != ':'; begin--)
		;
	if (begin == end)
		return arena_format(a, "%.*s", WHERE_MAX, full);
	if (end - begin > WHERE_MAX)
		end = begin + WHERE_MAX;
	return arena_format(a, "%.*s", (int)(end - begin), full + begin);
}

static const char *
where(struct arena *a, const struct defect *f)
{
	const char *call = strstr(f->text, "API call to ");

	if (f->kernel[0] != '\0')
		return short_name(a, f->kernel);
	if (f->function[0] != '\0')
		return short_name(a, f->function);
	if (f->kind == DEFECT_LEAK)
		return "device memory";
	if (f->kind == DEFECT_API && call != NULL)
		return arena_format(a, "%.*s", WHERE_MAX,
		    call + strlen("API call to "));
	return "the program";
}

/* "thread (31,0,0) of block (2,0,0)"; NULL unknown. */
static const char *
say_thread(struct arena *a, const struct defect_example *e)
{
	if (!(e->flags & DEFECT_THREAD))
		return NULL;
	return arena_format(a, "thread (%u,%u,%u) of block (%u,%u,%u)",
	    e->thread[0], e->thread[1], e->thread[2], e->block[0],
	    e->block[1], e->block[2]);
}

/* The first thread that did it; for a race, the kernel. */
static const char *
location(struct arena *a, const struct defect *f)
{
	const char *thread = f->examples > 0 ? say_thread(a, &f->example[0]) :
	    NULL;

	if (thread != NULL || f->kernel[0] == '\0')
		return thread;
	return arena_format(a, "in %.*s", WHERE_MAX, f->kernel);
}

static const char *
summary(struct arena *a, const struct defect *f)
{
	const char *times = f->count == 1 ? "" : arena_format(a, ", %s %s",
	    say_count(a, f->count), f->kind == DEFECT_RACE &&
	    f->count > f->reports ? "hazards" : "times");
	const char *detail = f->examples > 0 ? f->example[0].detail : "";

	if (f->kind == DEFECT_RACE && f->file[0] != '\0' &&
	    f->partner_file[0] != '\0')
		return arena_format(a, "%s: %s at %s:%u races with %s:%u%s",
		    wire_tool_name(f->tool), strstr(f->text, "Read") != NULL ?
		    "the read" : "the write", text_base_name(f->file), f->line,
		    text_base_name(f->partner_file), f->partner_line, times);
	if (f->kind == DEFECT_LEAK)
		return arena_format(a, "%s: %s in %s allocation%s never freed",
		    wire_tool_name(f->tool), say_bytes(a, (double)f->bytes),
		    say_count(a, f->reports), f->reports == 1 ? "" : "s");
	return arena_format(a, "%s: %s%s%s%s", wire_tool_name(f->tool),
	    f->text, times, detail[0] != '\0' ? "; " : "", detail);
}

/* --- one finding -------------------------------------------------------------- */

static void
put_lines(const struct rule_view *x, struct draft *d, const struct defect *f)
{
	bool called = strcmp(f->kernel, f->function) != 0 &&
	    f->kernel_file[0] != '\0';
	struct hot_line *h = d->f.hot;

	if (f->file[0] == '\0')
		return;
	h[0] = (struct hot_line){ .file = f->file, .line = f->line,
	    .share = NAN, .value = NAN };
	if (called) {
		h[0].function = short_name(x->arena, f->function);
		h[0].called_file = f->kernel_file;
		h[0].called_line = f->kernel_line;
	}
	d->f.hots = 1;
	if (f->partner_file[0] == '\0')
		return;
	h[1] = (struct hot_line){ .file = f->partner_file,
	    .line = f->partner_line, .share = NAN, .value = NAN,
	    .what = "the other access" };
	d->f.hots = 2;
}

/* Where the host launches the kernel or makes the call. */
static void
put_site(const struct rule_view *x, struct draft *d, const struct defect *f)
{
	struct site *s;
	struct site_frame *frame;

	if (f->site[0] == '\0' && f->site_file[0] == '\0' &&
	    f->site_object[0] == '\0')
		return;
	s = arena_get(x->arena, sizeof(*s));
	frame = arena_get(x->arena, sizeof(*frame));
	if (s == NULL || frame == NULL)
		return;
	*frame = (struct site_frame){
		.function = f->site[0] != '\0' ? f->site : NULL,
		.file = f->site_file[0] != '\0' ? f->site_file : NULL,
		.line = f->site_line,
		.module = f->site_object[0] != '\0' ? f->site_object : NULL,
	};
	*s = (struct site){ .call = f->kernel[0] != '\0' ? CALL_LAUNCH :
	    f->kind == DEFECT_LEAK ? CALL_MALLOC : CALL_OTHER,
	    .count = f->reports, .frame = frame, .frames = 1 };
	d->f.site = s;
}

static void
put_examples(const struct rule_view *x, struct draft *d,
    const struct defect *f)
{
	for (size_t i = 0; i < f->examples; i++) {
		const struct defect_example *e = &f->example[i];
		const char *thread = say_thread(x->arena, e);

		if (thread == NULL && e->detail[0] == '\0')
			continue;
		rule_evidence(x, d, arena_format(x->arena, "example_%zu_bytes",
		    i + 1), e->bytes > 0 ? (double)e->bytes : NAN,
		    arena_format(x->arena, "%s%s%s", thread != NULL ? thread :
		    "", thread != NULL && e->detail[0] != '\0' ? ": " : "",
		    e->detail), .measured = wire_tool_name(f->tool));
	}
}

static void
put_evidence(const struct rule_view *x, struct draft *d,
    const struct defect *f)
{
	rule_evidence(x, d, "reports", (double)f->reports,
	    "reports of this place", .measured = wire_tool_name(f->tool),
	    .unit = "report", .key = f->kind == DEFECT_LEAK ? "leak_count" :
	    "min_reports");
	if (f->count > f->reports)
		rule_evidence(x, d, "hazards", (double)f->count,
		    "bytes at which two threads meet",
		    .measured = wire_tool_name(f->tool), .unit = "hazard");
	put_examples(x, d, f);
}

/* Did the tool report an error that breaks everything after it? Calls fail
 * then, and what they would have freed stays allocated. */
static bool
broken(const struct run *run, enum wire_tool tool)
{
	for (size_t i = 0; i < run->defects; i++) {
		const struct defect *f = &run->defect[i];

		if (f->tool == tool && f->kind != DEFECT_API &&
		    f->kind != DEFECT_LEAK && f->severity == SEVERITY_ERROR)
			return true;
	}
	return false;
}

static bool
is_minor(const struct rule_view *x, const struct defect *f)
{
	if (f->severity == SEVERITY_INFO)
		return true;
	if (f->kind != DEFECT_API && f->kind != DEFECT_LEAK)
		return false;
	if (broken(x->run, f->tool))
		return true;
	/* Libraries ask the driver for functions that it may lack. */
	if (f->kind == DEFECT_API)
		return strstr(f->text, "cuGetProcAddress") != NULL;
	return (double)f->reports < rule_value(x, "leak_count");
}

static const struct reason *
no_line(const struct defect *f)
{
	if (f->file[0] != '\0')
		return NULL;
	if (f->function[0] != '\0')
		return &reason_row[REASON_LINE_NO_LINEINFO];
	return f->site_file[0] != '\0' ? NULL :
	    &reason_row[REASON_LINE_HOST_BUILD];
}

static void
found(struct rule_view *x, const struct defect *f)
{
	const struct lesson *l = &lessons[f->kind];
	struct draft *d = rule_found(x, arena_format(x->arena,
	    "%u %u %s %s %s %u %s %s %u", f->tool, f->kind, f->kernel,
	    f->function, f->file, f->line, f->text, f->site, f->site_line));

	d->cap = f->severity == SEVERITY_WARNING && l->severity > SEV_MEDIUM ?
	    SEV_MEDIUM : l->severity;
	d->minor = is_minor(x, f);
	d->f.confidence = l->confidence;
	d->f.title = l->title;
	d->f.where = where(x->arena, f);
	d->f.location = location(x->arena, f);
	d->f.location_missing = no_line(f);
	d->f.summary = summary(x->arena, f);
	d->f.advice = l->advice;
	if (l->bad[0] != '\0') {
		d->f.bad_code = l->bad;
		d->f.good_code = l->good;
	}
	d->f.gain_note = "correctness issue; no saving estimated";
	put_lines(x, d, f);
	put_site(x, d, f);
	put_evidence(x, d, f);
	d->f.next = say_tool(x->arena, x->run, arena_format(x->arena,
	    "cudadvise sanitize --tool %s --", wire_tool_name(f->tool)));
}

/* --- what nothing found means --------------------------------------------------- */

static const char *
ended(const struct tool_run *c)
{
	switch (c->state) {
	case RAN_DONE:
		return NULL;
	case RAN_PARTIAL:
		return "the program failed before its end";
	case RAN_TIMEOUT:
		return "it was ended at the time limit";
	case RAN_NO_GPU:
		return "the program used no GPU";
	default:
		return "it wrote no report";
	}
}

/* Nothing was found: by which of the tools? */
static enum rule_state
quiet(struct rule_view *x)
{
	bool ran[TOOL_COUNT] = { false };
	const char *missing = "";

	for (size_t i = 0; i < x->run->checks; i++) {
		const struct tool_run *c = &x->run->check[i];

		if (ended(c) != NULL)
			return rule_unmeasured_for(x, rule_reason(x,
			    REASON_TOOL_ENDED, "%s: %s",
			    wire_tool_name(c->tool), ended(c)));
		ran[c->tool] = true;
	}
	for (int t = TOOL_MEMCHECK; t < TOOL_COUNT; t++)
		if (!ran[t])
			missing = arena_format(x->arena, "%s%s%s", missing,
			    *missing != '\0' ? ", " : "", wire_tool_name(
			    (uint32_t)t));
	if (*missing == '\0')
		return RULE_CLEAN;
	return rule_unmeasured_for(x, rule_reason(x, REASON_TOOLS_LEFT,
	    "the other tools found nothing; not run: %s", missing));
}

enum rule_state
rule_sanitizer_findings(struct rule_view *x)
{
	size_t n = 0;

	if (x->run->checks == 0 && x->run->defects == 0)
		return rule_unmeasured(x, REASON_NOT_SANITIZED);
	for (size_t i = 0; i < x->run->defects && n < FINDINGS; i++) {
		const struct defect *f = &x->run->defect[i];

		if ((double)f->reports < rule_value(x, "min_reports") ||
		    f->kind >= DEFECT_KINDS)
			continue;
		found(x, f);
		n++;
	}
	return n > 0 ? RULE_FOUND : quiet(x);
}
