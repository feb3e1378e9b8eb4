/*
 * report/format.h: a report as other tools read it: the WRITTEN rows of
 * report/format.def, a file each. All are drawn from the documents, as the text is; some also from
 * what a struct reader reads.
 */
#ifndef CADV_FORMAT_H
#define CADV_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "report/reader.h"
#include "report/text.h"

/* What a format reads: but for those of documents alone r->reader is there; of parts
 * it has no operations. What is the FILE itself has no writer. */
enum format_reads { FORMAT_DOCUMENTS, FORMAT_PARTS, FORMAT_CAPTURE, FORMAT_FILE };

/* format_NAME(f, r): write it. -1 without memory, or if the reader failed; trouble
 * of ${f} is its own. */
typedef int format_write(FILE *f, const struct report *r);

#define EXPORTED(name, suffix, type, reads, help) format_write format_##name;
#define WRITTEN(id, name, suffix, type, reads, help) format_write format_##id;
#include "report/format.def"

/* The formats of an export, by enum exported_format; ${write} of the FILE is NULL. */
struct format {
	const char *name, *suffix, *type;
	format_write *write;
	enum format_reads reads;
};

enum exported_format {
#define EXPORTED(name, suffix, type, reads, help) EXPORTED_##name,
#define WRITTEN(id, name, suffix, type, reads, help) EXPORTED_##id,
#include "report/format.def"
	EXPORTED_FORMATS
};
extern const struct format format_exported[EXPORTED_FORMATS];

/* --- format_util.c: for format_*.c ---------------------------------------------- */

/* Where a finding is, in the source: a line of the kernel, or, if it is about none,
 * the host's that launches or calls. NULL and 0: not known. Borrowed. The file is
 * below the run's working directory if it can be said so. */
struct place {
	const char *file;
	uint64_t line;
};
struct place format_place(const json_t *run, const json_t *finding);
/* format_launch_site: the latter, in any case. */
struct place format_launch_site(const json_t *run, const json_t *finding);

/* "uncoalesced loads: loads touch 8× the sectors they need; saves 1.99 s (1.16 to
 * 2.03): let neighbouring …". malloced, without control characters; NULL without
 * memory. */
char *format_message(const json_t *finding);

/* format_benchmark(out, kernel): the name of a kernel's launch shape as a benchmark's:
 * "axpy(float*), grid 256, block 32". Cut where it is long, between characters. */
#define BENCHMARK_SIZE 4096
char *format_benchmark(char out[BENCHMARK_SIZE], const json_t *kernel);

/* format_clean(s): a malloced copy, control characters as blanks; NULL without
 * memory. */
char *format_clean(const char *s);

/* Findings worth a change, most seconds first: the next at or after *${i}, which is
 * moved behind it; NULL: no more. */
const json_t *format_next(const struct report *r, size_t *i);

/* "warning", "note": how severe a finding is for tools that look at changes. */
const char *format_level(const json_t *finding);

#endif
