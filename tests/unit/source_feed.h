/*
 * unit/source_feed.h: short spellings of the source tier's records, and the
 * files of captures/cubins.
 */
#ifndef CADV_TEST_SOURCE_FEED_H
#define CADV_TEST_SOURCE_FEED_H

#include <stdio.h>

#include "unit/model_feed.h"
#include "wire/le.h"

#define CUBIN_A 0xa11ce5ull
#define CUBIN_B 0xb0bull
#define SOFTMAX "_Z23softmax_forward_kernel1PfPKfii"
#define GEMM "_Z11gemm_kernelILi128ELi64EEvPKfS1_Pfiii"
#define SOURCES "/home/ada/src/"	/* where the cubins were compiled */

struct file {
	uint8_t *p;
	size_t size;
};

static inline void
file_read(struct file *f, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), TEST_DIR "/captures/cubins/%s", name);
	file = fopen(path, "rb");
	assert_non_null(file);
	f->p = malloc(1 << 20);
	assert_non_null(f->p);
	f->size = fread(f->p, 1, (1 << 20) - 1, file);
	f->p[f->size] = 0;
	fclose(file);
	assert_true(f->size > 0);
}

/* The number of the line that contains ${what} in a source. */
static inline uint32_t
line_with(const char *name, const char *what)
{
	uint32_t line = 1;
	struct file f;
	const char *at, *p;

	file_read(&f, name);
	at = strstr((char *)f.p, what);
	assert_non_null(at);
	for (p = (char *)f.p; p < at; p++)
		line += *p == '\n';
	free(f.p);
	return line;
}

static inline uint64_t
fnv_of(const char *path, const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ull;
	size_t i;

	for (i = 0; i <= strlen(path); i++)
		h = (h ^ (uint8_t)path[i]) * 0x100000001b3ull;
	for (i = 0; i < len; i++)
		h = (h ^ (uint8_t)text[i]) * 0x100000001b3ull;
	return h;
}

/* An instruction, the id of a metric or stall, and a number. */
struct cell3 {
	uint32_t pc, what;
	uint64_t n;
};

/* The metrics that the tests count, under the ids of the enum. */
static inline void
feed_metrics(struct feed *f)
{
	int i;

	for (i = 0; i <= SOURCE_SHARED_IDEAL; i++)
		FEED(f, METRIC, .id = (uint32_t)i,
		    .name = wire_str_of(source_metric_table[i].name));
}

/* Stall ${s} has the id ${base} + 2 s, plus 1 for its share of all samples. */
static inline void
feed_stalls(struct feed *f, uint32_t base)
{
	char name[128];
	uint32_t i;

	for (i = 0; i < 2 * STALL_OTHER; i++) {
		snprintf(name, sizeof(name),
		    "smsp__pcsamp_warps_issue_stalled_%s%s",
		    stall_table[i / 2].key, i % 2 == 1 ? "" : "_not_issued");
		FEED(f, STALL, .id = base + i, .name = wire_str_of(name));
	}
	FEED(f, STALL, .id = base + i,
	    .name = wire_str_of("smsp__pcsamp_sample_count"));
}

static inline void
feed_counts(struct feed *f, uint32_t signature, uint32_t part, uint32_t parts,
    const char *function, const struct cell3 *cell, size_t n)
{
	uint8_t *blob = malloc(16 * n + 1);
	size_t i;

	assert_non_null(blob);
	for (i = 0; i < n; i++) {
		le32_put(blob + 16 * i, cell[i].pc);
		le32_put(blob + 16 * i + 4, cell[i].what);
		le64_put(blob + 16 * i + 8, cell[i].n);
	}
	FEED(f, INSTRUCTIONS, .signature = signature, .part = part,
	    .parts = parts, .cubin = CUBIN_A,
	    .function = wire_str_of(function),
	    .values = { blob, (uint32_t)(16 * n) });
	free(blob);
}

static inline void
feed_samples(struct feed *f, uint64_t cubin, const char *function,
    const struct cell3 *cell, size_t n)
{
	uint8_t *blob = malloc(12 * n + 1);
	size_t i;

	assert_non_null(blob);
	for (i = 0; i < n; i++) {
		le32_put(blob + 12 * i, cell[i].pc);
		le32_put(blob + 12 * i + 4, cell[i].what);
		le32_put(blob + 12 * i + 8, (uint32_t)cell[i].n);
	}
	FEED(f, SAMPLES, .cubin = cubin, .function = wire_str_of(function),
	    .values = { blob, (uint32_t)(12 * n) });
	free(blob);
}

static inline void
feed_function(struct feed *f, uint32_t signature, uint64_t cubin,
    const char *name)
{

	FEED(f, FUNCTION, .signature = signature, .cubin = cubin,
	    .name = wire_str_of(name));
}

/* Sends a cubin in pieces of ${step} bytes, the last one first if ${backwards}. */
static inline void
feed_cubin(struct feed *f, uint64_t id, const char *name, size_t step,
    bool backwards)
{
	size_t i, n, at;
	struct file file;

	file_read(&file, name);
	FEED(f, CUBIN, .id = id, .size = file.size);
	n = (file.size + step - 1) / step;
	for (i = 0; i < n; i++) {
		at = step * (backwards ? n - 1 - i : i);
		FEED(f, BYTES, .kind = BYTES_CUBIN, .id = id, .offset = at,
		    .data = { file.p + at, (uint32_t)(file.size - at < step ?
		    file.size - at : step) });
	}
	free(file.p);
}

/* Sends a source file under its path in the line table; ${wrong} is added to its id. */
static inline void
feed_source(struct feed *f, const char *name, uint64_t wrong)
{
	char path[256];
	struct file file;
	uint64_t id;

	file_read(&file, name);
	snprintf(path, sizeof(path), SOURCES "%s", name);
	id = fnv_of(path, (char *)file.p, file.size) + wrong;
	FEED(f, SOURCE, .id = id, .size = file.size,
	    .path = wire_str_of(path));
	FEED(f, BYTES, .kind = BYTES_SOURCE, .id = id,
	    .data = { file.p, (uint32_t)file.size });
	free(file.p);
}

#endif
