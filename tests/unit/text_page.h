/*
 * Shared by tests of terminal text: a page in memory, comparison with
 * tests/unit/report/NAME.txt (UPDATE_GOLDEN=1 writes them: check the difference
 * then), and checks that nothing in it harms a terminal.
 */
#ifndef TEXT_PAGE_H
#define TEXT_PAGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/out.h"
#include "report/text.h"
#include "unit/test.h"

struct page {
	struct out out;
	char *text;
	size_t len;
};

static inline void
page_open(struct page *p, int width, bool utf8)
{

	memset(p, 0, sizeof(*p));
	p->out.file = open_memstream(&p->text, &p->len);
	p->out.width = width;
	p->out.utf8 = utf8;
	assert_non_null(p->out.file);
}

static inline void
page_close(struct page *p)
{

	fclose(p->out.file);
	p->out.file = NULL;
}

typedef void printer(struct out *o, const struct report *r);

/* The page that ${print} writes about ${r}; valid until the next call. */
static inline const char *
printed(const struct report *r, int width, bool utf8, printer *print)
{
	static struct page p;

	free(p.text);
	page_open(&p, width, utf8);
	print(&p.out, r);
	page_close(&p);
	return p.text;
}

static inline const char *
printed_report(const struct report *r, int width)
{
	return printed(r, width, true, text_report);
}

/* Prints all findings. */
static inline void
print_findings(struct out *o, const struct report *r)
{
	text_findings(o, r, true);
}

static inline char *
read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 65536);

	if (file == NULL)
		fail_msg("no golden file %s", path);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

static inline void
assert_golden(const char *name, const char *text)
{
	char path[512], *want;
	FILE *file;

	snprintf(path, sizeof(path), "%s/unit/report/%s.txt", TEST_DIR, name);
	if (getenv("UPDATE_GOLDEN") != NULL) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	want = read_file(path);
	assert_string_equal(text, want);
	free(want);
}

/* No line is wider than the page, and no byte controls the terminal. */
static inline void
assert_safe(const char *text, int width)
{
	size_t n;

	for (; *text != '\0'; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (utf8_columns(text, n) > (size_t)width)
			fail_msg("wider than %d: %.*s", width, (int)n, text);
		for (size_t i = 0; i < n; i++)
			assert_true((unsigned char)text[i] >= 0x20 &&
			    text[i] != 0x7f);
		assert_true(n == 0 || utf8_valid(text, n));
	}
}

#endif
