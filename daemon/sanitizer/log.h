/*
 * sanitizer/log.h: what NVIDIA's compute-sanitizer writes, read.
 *
 * sanitizer_read takes the log (--log-file) of one of its tools apart: a list of
 * reports, and what the end of it counts. The format is for people and has
 * changed from version to version; what is read here are the texts of NVIDIA's
 * manual (2021 to 2025), of public logs of those years, and of cuda-memcheck,
 * which came before. What is not understood is kept as text, or passed over:
 * nothing that a program's names say can do more than look odd.
 *
 * Pure over the buffer; pieces point into it, so it must outlive the log.
 */
#ifndef CADV_SANITIZER_LOG_H
#define CADV_SANITIZER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sanitizer/place.h"

#define SANITIZER_REPORTS 4096u	/* of a log; what is beyond is counted */
#define SANITIZER_DETAIL 384u	/* bytes of text behind the first line */

/* One report. */
struct sanitizer_report {
	enum wire_defect kind;
	enum wire_severity severity;
	unsigned flags;			/* enum wire_defect_flag */
	uint64_t count;			/* hazards behind it; else 1 */
	uint64_t address, bytes;	/* of the access or allocation; 0 */
	uint32_t thread[3], block[3];
	struct wire_str text;		/* its first line */
	struct sanitizer_place at;	/* the access */
	struct sanitizer_place kernel;	/* the outermost device frame */
	struct sanitizer_place partner;	/* the other access of a race */
	struct sanitizer_place site;	/* the host's launch or call */
	char detail[SANITIZER_DETAIL];	/* terminated */
};

struct sanitizer_log {
	struct sanitizer_report *report;
	size_t reports;
	uint64_t dropped;		/* reports beyond the limit */
	/* Of the summary at its end. */
	bool summary;			/* there is one: the tool ended */
	uint64_t errors, warnings;
	uint64_t unreported;		/* beyond --print-limit */
	/* What it says of the run. */
	bool program_failed;		/* the program returned an error */
	bool no_gpu;			/* and never called CUDA */
	struct wire_str trouble;	/* the tool's first complaint of its own */
};

/* sanitizer_read(log, text, len): -1 only without memory. */
int sanitizer_read(struct sanitizer_log *log, const char *text, size_t len);

/* sanitizer_release(log): fine after a failed read, and twice. */
void sanitizer_release(struct sanitizer_log *log);

#endif
