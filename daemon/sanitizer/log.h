/*
 * sanitizer/log.h: reads the log of NVIDIA's compute-sanitizer.
 *
 * sanitizer_read parses the log (--log-file) of one of its tools into a list of reports
 * and the counts of its summary. The format is meant for people and has changed from
 * version to version. The parser knows the texts of NVIDIA's manual (2021 to 2025), of
 * public logs of those years, and of its predecessor cuda-memcheck. Text that it does
 * not understand is kept as text or skipped: names in the program may make a report
 * look odd, but no worse.
 *
 * Pure over the buffer; all strings of the result point into the buffer, which must
 * outlive it.
 */
#ifndef CADV_SANITIZER_LOG_H
#define CADV_SANITIZER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sanitizer/place.h"

#define SANITIZER_REPORTS 4096u	/* kept per log; further ones are counted only */
#define SANITIZER_DETAIL 384u	/* bytes of text from the lines after the first */

/* One report. */
struct sanitizer_report {
	enum wire_defect kind;
	enum wire_severity severity;
	unsigned flags;			/* enum wire_defect_flag */
	uint64_t count;			/* hazards that it stands for; else 1 */
	uint64_t address, bytes;	/* of the access or allocation; 0: not known */
	uint32_t thread[3], block[3];
	struct wire_str text;		/* the first line */
	struct sanitizer_place at;	/* the access */
	struct sanitizer_place kernel;	/* the outermost device frame */
	struct sanitizer_place partner;	/* the other access of a race */
	struct sanitizer_place site;	/* the host's launch or call */
	char detail[SANITIZER_DETAIL];	/* terminated */
};

struct sanitizer_log {
	struct sanitizer_report *report;
	size_t reports;
	uint64_t dropped;		/* reports beyond SANITIZER_REPORTS */
	/* From the summary at the end of the log. */
	bool summary;			/* there is a summary: the tool ended normally */
	uint64_t errors, warnings;
	uint64_t unreported;		/* not printed because of --print-limit */
	/* What the tool says about the run. */
	bool program_failed;		/* the program returned an error */
	bool no_gpu;			/* the program ended without calling CUDA */
	struct wire_str trouble;	/* the first error of the tool itself */
};

/* sanitizer_read(log, text, len): fill ${log}. 0; -1 only without memory: ${log} is
 * empty then. */
int sanitizer_read(struct sanitizer_log *log, const char *text, size_t len);

/* sanitizer_release(log): free the reports and empty ${log}. Allowed after a failed
 * sanitizer_read, and more than once. */
void sanitizer_release(struct sanitizer_log *log);

#endif
