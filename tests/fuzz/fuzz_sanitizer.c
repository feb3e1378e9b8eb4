/*
 * fuzz_sanitizer.c: the log of a compute-sanitizer tool; every string that is
 * read from it must lie within it.
 */
#include <stdlib.h>
#include <string.h>

#include "sanitizer/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_piece(struct wire_str s, const char *text, size_t size)
{
	if (s.len > 0 && (s.p < text || s.p + s.len > text + size))
		abort();
}

static void
check_place(const struct sanitizer_place *p, const char *text, size_t size)
{
	check_piece(p->function, text, size);
	check_piece(p->file, text, size);
	check_piece(p->object, text, size);
	check_piece(p->clone, text, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sanitizer_log log;
	char *text = malloc(size > 0 ? size : 1);

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	if (sanitizer_read(&log, text, size) == 0) {
		if (log.reports > SANITIZER_REPORTS)
			abort();
		check_piece(log.trouble, text, size);
		for (size_t i = 0; i < log.reports; i++) {
			const struct sanitizer_report *r = &log.report[i];

			if (r->kind >= DEFECT_KINDS || r->count == 0 ||
			    strlen(r->detail) >= SANITIZER_DETAIL)
				abort();
			check_piece(r->text, text, size);
			check_place(&r->at, text, size);
			check_place(&r->kernel, text, size);
			check_place(&r->partner, text, size);
			check_place(&r->site, text, size);
		}
	}
	sanitizer_release(&log);
	free(text);
	return 0;
}
