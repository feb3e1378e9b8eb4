/*
 * report/format.h: a report for other tools: the WRITTEN rows of
 * report/format.def, one file each. All are drawn from the documents, as the
 * text is; some also from a struct reader.
 */
#ifndef CADV_FORMAT_H
#define CADV_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "report/reader.h"
#include "report/text.h"

/* What a format reads. r->reader is set except for FORMAT_DOCUMENTS; for FORMAT_PARTS
 * it has no operations. FORMAT_FILE is the capture itself and has no writer. */
enum format_reads { FORMAT_DOCUMENTS, FORMAT_PARTS, FORMAT_CAPTURE, FORMAT_FILE };

/* format_NAME(f, r): write the report to ${f}. 0; -1 without memory, or if the
 * reader failed; write errors are those of ${f}. */
typedef int format_write(FILE *f, const struct report *r);

#define EXPORTED(name, suffix, type, reads, help) format_write format_##name;
#define WRITTEN(id, name, suffix, type, reads, help) format_write format_##id;
#include "report/format.def"

/* The formats of an export, by enum exported_format; ${write} of FORMAT_FILE is
 * NULL. */
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

/* The source location of a finding: a line of the kernel or, for a finding about
 * none, the host's line that launches or calls. NULL and 0: not known. Borrowed.
 * The file's path is relative to the run's working directory if possible. */
struct place {
	const char *file;
	uint64_t line;
};
struct place format_place(const json_t *run, const json_t *finding);
/* format_launch_site(run, finding): the host's line in any case. */
struct place format_launch_site(const json_t *run, const json_t *finding);

/* "uncoalesced loads: loads touch 8× the sectors they need; saves 1.99 s (1.16 to
 * 2.03): let neighbouring …". malloced, without control characters; NULL without
 * memory. */
char *format_message(const json_t *finding);

/* format_benchmark(out, kernel): a kernel's launch shape as a benchmark's name:
 * "axpy(float*), grid 256, block 32". Long names are cut between characters. */
#define BENCHMARK_SIZE 4096
char *format_benchmark(char out[BENCHMARK_SIZE], const json_t *kernel);

/* format_clean(s): a malloced copy with blanks for control characters; NULL
 * without memory. */
char *format_clean(const char *s);

/* format_next(r, i): the next finding worth a change at or after *${i}, most
 * seconds first; *${i} is moved behind it. NULL: no more. */
const json_t *format_next(const struct report *r, size_t *i);

/* format_level(finding): "warning" or "note", the severity for tools that
 * review changes. */
const char *format_level(const json_t *finding);

#endif
