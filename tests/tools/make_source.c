/*
 * make_source.c: the source tier's part of the invented run. The code is real:
 * captures/cubins holds the cubins, compiled with -lineinfo (softmax) and
 * without (gemm), and the disassembly of the first. The numbers are invented.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/writer.h"
#include "wire/le.h"

#define SOFTMAX_NAME "_Z23softmax_forward_kernel1PfPKfii"
#define GEMM_NAME "_Z11gemm_kernelILi128ELi64EEvPKfS1_Pfiii"
#define CUBIN_SOFTMAX 0x50f7ull
#define CUBIN_GEMM 0x6e33ull
#define FOLDER "/home/ada/src/"		/* where the cubins were compiled */
#define METRIC_FIRST 1000u		/* ids of the stream */
#define PIECE (4u << 10)
#define WARPS 105263u			/* warps that execute each instruction */

struct file {
	uint8_t *p;
	uint32_t size;
};

static struct file
file_read(const char *name)
{
	struct file f = { malloc(1 << 20), 0 };
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), CUBINS "/%s", name);
	if (f.p == NULL || (file = fopen(path, "rb")) == NULL)
		die(path);
	f.size = (uint32_t)fread(f.p, 1, 1 << 20, file);
	fclose(file);
	return f;
}

static void
put_bytes(struct writer *w, enum wire_bytes kind, uint64_t id,
    const struct file *f)
{
	uint32_t at, n;

	for (at = 0; at < f->size; at += n) {
		n = f->size - at < PIECE ? f->size - at : PIECE;
		PUT(w, BYTES, .kind = kind, .id = id, .offset = at,
		    .data = { f->p + at, n });
	}
}

static void
put_cubin(struct writer *w, uint64_t id, const char *name,
    uint32_t signature, const char *function)
{
	struct file f = file_read(name);

	PUT(w, CUBIN, .id = id, .size = f.size);
	put_bytes(w, BYTES_CUBIN, id, &f);
	PUT(w, FUNCTION, .signature = signature, .cubin = id,
	    .name = wire_str_of(function));
	free(f.p);
}

static uint64_t
fnv(uint64_t h, const void *text, size_t len)
{
	const uint8_t *p = text;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

static void
put_text(struct writer *w, const char *name)
{
	struct file f = file_read(name);
	char path[256];
	uint64_t id;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	id = fnv(fnv(0xcbf29ce484222325ull, path, strlen(path) + 1), f.p,
	    f.size);
	PUT(w, SOURCE, .id = id, .size = f.size, .path = wire_str_of(path));
	put_bytes(w, BYTES_SOURCE, id, &f);
	free(f.p);
}

/* Numbers at instructions, in the width of the record. */
struct values {
	uint8_t *p;
	uint32_t len;
};

static void
count(struct values *v, uint32_t pc, enum source_metric metric, uint64_t n)
{

	le32_put(v->p + v->len, pc);
	le32_put(v->p + v->len + 4, METRIC_FIRST + (uint32_t)metric);
	le64_put(v->p + v->len + 8, n);
	v->len += 16;
}

static void
count_executed(struct values *v, uint32_t pc, uint32_t warps, uint32_t lanes)
{

	count(v, pc, SOURCE_INST, warps);
	count(v, pc, SOURCE_THREADS, 32ull * warps);
	count(v, pc, SOURCE_THREADS_ON, (uint64_t)lanes * warps);
}

/* Each lane reads 4 bytes of every 16: 16 sectors where 4 would do. */
static void
put_softmax_counts(struct writer *w)
{
	static const uint32_t load[] = { 0x0f0, 0x110, 0x120, 0x130, 0x140,
	    0x150, 0x160, 0x170 };
	struct values v = { malloc(1 << 16), 0 };
	uint32_t pc;
	size_t i;

	if (v.p == NULL)
		die("malloc");
	for (pc = 0; pc <= 0x250; pc += 16)
		count_executed(&v, pc, WARPS, pc == 0x070 ? 2 : 30);
	for (i = 0; i < COUNT(load); i++) {
		count(&v, load[i], SOURCE_GLOBAL_LD, WARPS);
		count(&v, load[i], SOURCE_GLOBAL_SECTORS, 16ull * WARPS);
		count(&v, load[i], SOURCE_GLOBAL_IDEAL, 4ull * WARPS);
		count(&v, load[i], SOURCE_GLOBAL_TAGS, 4ull * WARPS);
	}
	count(&v, 0x240, SOURCE_GLOBAL_ST, WARPS);
	count(&v, 0x240, SOURCE_GLOBAL_SECTORS, 4ull * WARPS);
	count(&v, 0x240, SOURCE_GLOBAL_IDEAL, 4ull * WARPS);
	count(&v, 0x240, SOURCE_GLOBAL_TAGS, WARPS);
	/* In two parts, which together are one measurement. */
	PUT(w, INSTRUCTIONS, .signature = SOFTMAX, .part = 0, .parts = 2,
	    .cubin = CUBIN_SOFTMAX, .cost_ns = 40 * MS,
	    .function = wire_str_of(SOFTMAX_NAME), .values = { v.p, 1600 });
	PUT(w, INSTRUCTIONS, .signature = SOFTMAX, .part = 1, .parts = 2,
	    .cubin = CUBIN_SOFTMAX, .cost_ns = 40 * MS,
	    .function = wire_str_of(SOFTMAX_NAME),
	    .values = { v.p + 1600, v.len - 1600 });
	free(v.p);
}

static void
put_gemm_counts(struct writer *w)
{
	struct values v = { malloc(1 << 16), 0 };
	uint32_t pc;

	if (v.p == NULL)
		die("malloc");
	for (pc = 0; pc < 0x200; pc += 16)
		count_executed(&v, pc, 3000 + 20 * pc, 32);
	PUT(w, INSTRUCTIONS, .signature = GEMM, .part = 0, .parts = 1,
	    .cubin = CUBIN_GEMM, .cost_ns = 11 * MS,
	    .function = wire_str_of(GEMM_NAME), .values = { v.p, v.len });
	free(v.p);
}

struct sample {
	uint32_t pc;
	enum stall stall;
	uint32_t all, not_issued;
};

static void
put_samples(struct writer *w, uint64_t cubin, const char *function,
    const struct sample *s, size_t n)
{
	uint8_t blob[24 * 64];
	size_t i;

	for (i = 0; i < n; i++) {
		le32_put(blob + 24 * i, s[i].pc);
		le32_put(blob + 24 * i + 4, 2 * s[i].stall + 1);
		le32_put(blob + 24 * i + 8, s[i].all);
		le32_put(blob + 24 * i + 12, s[i].pc);
		le32_put(blob + 24 * i + 16, 2 * s[i].stall);
		le32_put(blob + 24 * i + 20, s[i].not_issued);
	}
	PUT(w, SAMPLES, .cubin = cubin, .function = wire_str_of(function),
	    .values = { blob, (uint32_t)(24 * n) });
}

static void
put_stalls(struct writer *w)
{
	static const struct sample softmax[] = {
		{ 0x010, STALL_NO_INSTRUCTION, 60, 55 },
		{ 0x040, STALL_SHORT_SCOREBOARD, 120, 100 },
		{ 0x0f0, STALL_WAIT, 80, 20 },
		{ 0x110, STALL_LG_THROTTLE, 700, 640 },
		{ 0x140, STALL_LG_THROTTLE, 900, 850 },
		{ 0x170, STALL_LG_THROTTLE, 1500, 1400 },
		{ 0x190, STALL_LONG_SCOREBOARD, 9000, 8200 },
		{ 0x1a0, STALL_LONG_SCOREBOARD, 2100, 1900 },
		{ 0x1c0, STALL_LONG_SCOREBOARD, 1400, 1250 },
		{ 0x200, STALL_LONG_SCOREBOARD, 400, 350 },
		{ 0x210, STALL_SELECTED, 90, 0 },
		{ 0x240, STALL_WAIT, 150, 90 },
		{ 0x250, STALL_DRAIN, 320, 300 },
	};
	static const struct sample gemm[] = {
		{ 0x080, STALL_LONG_SCOREBOARD, 2600, 2000 },
		{ 0x120, STALL_MATH_THROTTLE, 4100, 1500 },
		{ 0x180, STALL_SELECTED, 3300, 0 },
	};
	char name[128];
	uint32_t i;

	for (i = 0; i < 2 * STALL_OTHER; i++) {
		snprintf(name, sizeof(name),
		    "smsp__pcsamp_warps_issue_stalled_%s%s",
		    stall_table[i / 2].key, i % 2 == 1 ? "" : "_not_issued");
		PUT(w, STALL, .id = i, .name = wire_str_of(name));
	}
	put_samples(w, CUBIN_SOFTMAX, SOFTMAX_NAME, softmax, COUNT(softmax));
	put_samples(w, CUBIN_GEMM, GEMM_NAME, gemm, COUNT(gemm));
	PUT(w, SAMPLING, .device = 0, .period = 16384, .samples = 27000,
	    .dropped = 12, .foreign = 180, .start_ns = T0 + 300 * MS,
	    .end_ns = T0 + 900 * MS, .cost_ns = 2 * MS);
}

static void
put_stack(struct writer *w, uint32_t number, enum wire_call call, uint32_t key,
    uint64_t count_, const uint64_t *frame, size_t n, const char *python)
{
	uint8_t blob[8 * 16];
	size_t i;

	for (i = 0; i < n; i++)
		le64_put(blob + 8 * i, frame[i]);
	PUT(w, SITE, .kind = call, .key = key, .tid = 42, .count = count_,
	    .number = number, .frames = { blob, (uint32_t)(8 * n) },
	    .python = wire_str_of(python));
}

#define EXE 0x400000ull
#define CUDART 0x7f0000000000ull

/* The first kernel is launched from C++, the second from Python. */
static void
put_sites(struct writer *w)
{
	static const struct {
		uint64_t address;
		uint32_t depth, line;
		const char *function, *file;
	} frame[] = {
		{ EXE + 0x100, 0, 0, "_Z42__device_stub__Z23softmax_forward_"
		    "kernel1PfPKfiiPfPKfii", "" },
		{ EXE + 0x200, 0, 11, SOFTMAX_NAME, FOLDER "softmax.cu" },
		{ EXE + 0x300, 0, 57, "_Z15softmax_forwardP6Tensor",
		    FOLDER "train.cu" },
		{ EXE + 0x300, 1, 88, "_Z10train_stepi", FOLDER "train.cu" },
		{ EXE + 0x400, 0, 120, "main", FOLDER "train.cu" },
		{ EXE + 0x500, 0, 64, "_Z9load_nextP6Tensor",
		    FOLDER "train.cu" },
		{ EXE + 0x600, 0, 97, "_Z10train_stepi", FOLDER "train.cu" },
		{ EXE + 0x700, 0, 3, "<b onclick=\"alert('owned')\">f</b>",
		    "/tmp/<script>alert(1)</script>.cu" },
	};
	const uint64_t softmax[] = { CUDART + 9, EXE + 0x100, EXE + 0x200,
	    EXE + 0x300, EXE + 0x400 };
	const uint64_t copy[] = { CUDART + 5, EXE + 0x500, EXE + 0x400 };
	const uint64_t sync[] = { CUDART + 7, EXE + 0x600, EXE + 0x400 };
	const uint64_t hostile[] = { CUDART + 9, EXE + 0x700 };
	const uint64_t gemm[] = { CUDART + 9 };
	size_t i;

	PUT(w, MAPPING, .id = 1, .start = EXE, .end = EXE + 0x10000,
	    .path = wire_str_of("/home/ada/train"));
	PUT(w, MAPPING, .id = 2, .start = CUDART, .end = CUDART + 0x10000,
	    .path = wire_str_of("/usr/local/cuda/lib64/libcudart.so.13"));
	for (i = 0; i < COUNT(frame); i++)
		PUT(w, FRAME, .address = frame[i].address, .mapping = 1,
		    .line = frame[i].line, .depth = frame[i].depth,
		    .function = wire_str_of(frame[i].function),
		    .file = wire_str_of(frame[i].file));
	put_stack(w, 1, CALL_LAUNCH, SOFTMAX, 16, softmax, COUNT(softmax), "");
	put_stack(w, 2, CALL_LAUNCH, GEMM, 16, gemm, COUNT(gemm),
	    "/usr/lib/python3/dist-packages/torch/nn/functional.py\t1204\t"
	    "linear\n" FOLDER "model.py\t31\tforward\n"
	    FOLDER "train.py\t44\t<module>\n");
	put_stack(w, 3, CALL_LAUNCH, HOSTILE, 16, hostile, COUNT(hostile), "");
	put_stack(w, 4, CALL_MEMCPY, 0, 500, copy, COUNT(copy), "");
	PUT(w, AWAY, .site = 4, .tid = 42, .start_ns = T0 + 296 * MS,
	    .end_ns = T0 + 299 * MS);
	put_stack(w, 5, CALL_DEVICE_SYNC, 0, 500, sync, COUNT(sync), "");
}

void
put_source(struct writer *w)
{
	uint32_t i;

	for (i = 0; i < SOURCE_COUNT; i++)
		PUT(w, METRIC, .id = METRIC_FIRST + i,
		    .name = wire_str_of(source_metric_table[i].name));
	put_cubin(w, CUBIN_SOFTMAX, "softmax.cubin", SOFTMAX, SOFTMAX_NAME);
	put_cubin(w, CUBIN_GEMM, "gemm.cubin", GEMM, GEMM_NAME);
	put_text(w, "softmax.cu");
	put_text(w, "rows.cuh");
	PUT(w, SOURCE, .id = 3, .size = 5 << 20, .flags = SOURCE_WITHHELD,
	    .path = wire_str_of(FOLDER "mean.cuh"));
	put_softmax_counts(w);
	put_gemm_counts(w);
	PUT(w, SKIPPED, .signature = HOSTILE, .reason = SKIP_PERMISSION);
	put_stalls(w);
	put_sites(w);
}

void
put_disassembly(struct writer *w)
{
	struct file f = file_read("softmax.sass");

	PUT(w, DISASSEMBLY, .cubin = CUBIN_SOFTMAX, .part = 0, .parts = 1,
	    .function = wire_str_of(SOFTMAX_NAME),
	    .tool = wire_str_of("nvdisasm V13.0.85"),
	    .text = { f.p, f.size });
	free(f.p);
	writer_flush(w);
}
