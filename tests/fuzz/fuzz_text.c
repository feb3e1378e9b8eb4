/*
 * fuzz_text.c: any text, printed on a terminal or read as a number or as JSON.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/out.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
numbers(const char *s, double v)
{
	char out[NUMBER_SIZE];
	uint64_t n = 7;
	double d;

	if (text_u64(s, 3, 1u << 20, &n) == 0)
		WANT(n >= 3 && n <= 1u << 20);
	if (text_double(s, -1, 1e9, &d) == 0)
		WANT(d >= -1 && d <= 1e9);
	WANT(strlen(number_plain(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_value(out, v, s)) < NUMBER_SIZE);
	WANT(strlen(number_seconds(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_interval(out, v, v / 2, v * 2)) < NUMBER_SIZE);
	WANT(strlen(number_percent(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_bytes(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_rate(out, v, s)) < NUMBER_SIZE);
	WANT(strlen(number_times(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_whole(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_compact(out, v)) < NUMBER_SIZE);
	WANT(strlen(number_of(out, v, s)) < NUMBER_SIZE);
}

static void
copies(const char *s)
{
	char small[24], *clean = text_dup_clean(s, strlen(s));

	WANT(clean != NULL && strlen(clean) == strlen(s));
	parts_check_page(clean, strlen(clean));
	text_copy(small, sizeof(small), clean);
	WANT(strlen(small) < sizeof(small) && (small[0] == '\0' ||
	    utf8_valid(small, strlen(small))));
	text_shorten(small, sizeof(small), clean);
	WANT(strlen(small) < sizeof(small) && (small[0] == '\0' ||
	    utf8_valid(small, strlen(small))));
	free(clean);
}

/* One file for all pages: opening a file takes longer than writing the page. */
static void
page(const char *s, int width, int indent, bool utf8)
{
	static char text[1 << 17];
	static FILE *file;
	struct out o = { .width = width, .utf8 = utf8 };
	char *clean;

	if (file == NULL)
		file = fmemopen(text, sizeof(text), "w");
	rewind(o.file = file);
	out_text(&o, s);
	out_line(&o);
	out_spaces(&o, indent);
	out_wrap(&o, indent, s);
	out_code(&o, indent, s);
	out_cell(&o, s, width / 2);
	out_segment(&o, indent, " · ", s);
	out_command(&o, indent, " ", s);
	out_format(&o, "%s %d", s, width);
	out_line(&o);
	fflush(file);
	parts_check_page(text, (size_t)ftell(file));
	clean = out_clean(&o, s);
	WANT(clean != NULL && out_columns(&o, clean) >= 0);
	free(clean);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t shape = input_u8(&in);
	uint64_t bits = input_u64(&in);
	char s[2048];
	double v;

	memcpy(&v, &bits, sizeof(v));
	input_text(&in, s, sizeof(s), in.len);
	numbers(s, v);
	copies(s);
	page(s, 40 + (shape & 63), shape & 7, (shape & 128) != 0);
	return 0;
}
