/*
 * sanitizer/place.c: see place.h. The functions of words.h that are not inline are
 * here, too.
 */
#include "sanitizer/place.h"
#include "sanitizer/words.h"

bool
words_number(struct wire_str s, uint64_t *n)
{
	uint64_t base = 10, value = 0;
	uint32_t i = 0, digits = 0;
	unsigned d;

	if (words_begin(s, "0x")) {
		base = 16;
		i = 2;
	}
	for (; i < s.len; i++) {
		char c = s.p[i];

		if (c >= '0' && c <= '9')
			d = (unsigned)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			d = (unsigned)(c - 'a' + 10);
		else if (base == 16 && c >= 'A' && c <= 'F')
			d = (unsigned)(c - 'A' + 10);
		else if (base == 10 && c == ',' && digits > 0 &&
		    i + 1 < s.len && s.p[i + 1] >= '0' && s.p[i + 1] <= '9')
			continue;
		else
			break;
		digits++;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, d, &value))
			value = UINT64_MAX;
	}
	*n = value;
	return digits > 0;
}

bool
words_number_after(struct wire_str s, const char *what, uint64_t *n)
{
	const char *p = words_find(s, what);

	return p != NULL && words_number(words_skip(words_from(s, p),
	    strlen(what)), n);
}

static uint32_t
line_number(struct wire_str s)
{
	uint64_t n;

	return words_number(s, &n) && n <= UINT32_MAX ? (uint32_t)n : 0;
}

static bool
is_digits(struct wire_str s)
{
	uint32_t i;

	for (i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0;
}

/* "demo.cu:34": its file and line; false if ${s} is not of this form. */
static bool
file_line(struct wire_str s, struct sanitizer_place *p)
{
	const char *colon = words_find_last(s, ":");
	struct wire_str n;

	if (colon == NULL || colon == s.p)
		return false;
	n = words_skip(words_from(s, colon), 1);
	if (!is_digits(n))
		return false;
	p->file = words_until(s, colon);
	p->line = line_number(n);
	return true;
}

/* "demo.cu:34:kernel(int *)", the form of older versions. A "::" in the name is no line
 * number. */
static bool
file_line_function(struct wire_str s, struct sanitizer_place *p)
{
	struct wire_str rest = s, n;
	const char *colon, *next;

	while ((colon = words_find(rest, ":")) != NULL) {
		rest = words_skip(words_from(rest, colon), 1);
		if ((next = words_find(rest, ":")) == NULL)
			return false;
		n = words_until(rest, next);
		if (!is_digits(n) || colon == s.p)
			continue;
		p->file = words_until(s, colon);
		p->line = line_number(n);
		p->function = words_skip(words_from(rest, next), 1);
		return true;
	}
	return false;
}

/* Drops "+0x100" or ":0x160" at the end. */
static struct wire_str
without_offset(struct wire_str s)
{
	const char *p = words_find_last(s, "+0x");

	if (p == NULL)
		p = words_find_last(s, ":0x");
	return p != NULL ? words_until(s, p) : s;
}

/* "kernel(int *)+0x100 in demo.cu:34" */
static void
function_file_line(struct wire_str s, struct sanitizer_place *p)
{
	const char *in = words_find_last(s, " in "), *end;

	if (in != NULL && file_line(words_skip(words_from(s, in), 4), p))
		s = words_until(s, in);
	if (words_begin(s, "[clone ") && (end = words_find(s, "] ")) != NULL) {
		p->clone = words_skip(words_until(s, end), 7);
		s = words_skip(words_from(s, end), 2);
	}
	p->function = words_trim(without_offset(s));
}

struct sanitizer_place
place_device(struct wire_str s)
{
	struct sanitizer_place p = { .line = 0 };
	const char *bracket, *in;

	s = words_trim(s);
	/* " [508 hazards]" */
	bracket = words_find_last(s, " [");
	if (bracket != NULL && words_have(words_from(s, bracket), "hazard"))
		s = words_until(s, bracket);
	if (!words_begin(s, "0x")) {
		function_file_line(s, &p);
		return p;
	}
	if ((in = words_find(s, " in ")) == NULL)
		return p;
	s = words_skip(words_from(s, in), 4);
	if (!file_line_function(s, &p) && !file_line(s, &p))
		p.function = s;
	p.function = words_trim(p.function);
	return p;
}

/* "sum.cu:20:sum(int*) (sum(int*) : 0x60)": drops the repeated name and the offset. */
static struct wire_str
without_symbol(struct wire_str s)
{
	const char *tail = words_find_last(s, " : 0x"), *open;
	struct wire_str whole, rest, name;

	if (tail == NULL)
		return s;
	whole = rest = words_until(s, tail);
	while ((open = words_find(rest, " (")) != NULL) {
		rest = words_skip(words_from(rest, open), 2);
		name = words_until(whole, open);
		if (rest.len > 0 && name.len >= rest.len &&
		    words_equal(words_skip(name, name.len - rest.len), rest))
			return name;
	}
	return s;
}

struct sanitizer_place
place_device_frame(struct wire_str s)
{
	struct sanitizer_place p = { .line = 0 };
	const char *tail;

	s = words_trim(s);
	s = without_symbol(s);
	/* "NVIDIA Internal [0x520]" */
	tail = words_find_last(s, " [0x");
	if (tail != NULL)
		s = words_until(s, tail);
	if (!file_line_function(s, &p))
		function_file_line(s, &p);
	return p;
}

struct sanitizer_place
place_host(struct wire_str s)
{
	struct sanitizer_place p = { .line = 0 };
	const char *bracket, *at;
	struct wire_str tail;

	s = words_trim(s);
	if ((bracket = words_find_last(s, "[0x")) != NULL) {
		tail = words_from(s, bracket);
		if ((at = words_find(tail, "] in ")) != NULL)
			p.object = words_skip(words_from(tail, at), 5);
		s = words_trim(words_until(s, bracket));
	}
	if (words_begin(s, "/") || words_begin(s, "./")) {
		if ((at = words_find_last(s, " (")) == NULL) {
			p.object = s;
			return p;
		}
		p.object = words_until(s, at);
		s = words_skip(words_from(s, at), 2);
		at = words_find_last(s, " + 0x");
		p.function = at != NULL ? words_until(s, at) : s;
		return p;
	}
	at = words_find_last(s, " in ");
	if (at != NULL && file_line(words_skip(words_from(s, at), 4), &p))
		s = words_until(s, at);
	p.function = words_trim(s);
	return p;
}

static struct wire_str
base_name_of(struct wire_str path)
{
	const char *slash = words_find_last(path, "/");

	return slash != NULL ? words_skip(words_from(path, slash), 1) : path;
}

/* The name without its parameter list. */
static struct wire_str
bare(struct wire_str function)
{
	const char *open = words_find(function, "(");

	return open != NULL ? words_until(function, open) : function;
}

bool
place_is_runtime(const struct sanitizer_place *p, struct wire_str kernel)
{
	static const char *const functions[] = {
		"cudaError cudaLaunch", "_cuda", "__cudart", "libcudart_static",
		"__device_stub_", "__wrapper__device_stub_",
		"__libc_start_",	/* these call main */
	};
	static const char *const objects[] = { "libcuda.so", "libcudart.so",
		"libc.so", "libpthread.so", "ld-linux" };
	struct wire_str f = p->function, object = base_name_of(p->object);
	size_t i;

	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (words_begin(object, objects[i]))
			return true;
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (words_begin(f, functions[i]))
			return true;
	/* cudaMalloc, cuMemAlloc_v2; but not cuda_step or current. */
	if (words_begin(f, "cuda") && f.len > 4 && f.p[4] >= 'A' &&
	    f.p[4] <= 'Z')
		return true;
	if (words_begin(f, "cu") && f.len > 2 && f.p[2] >= 'A' &&
	    f.p[2] <= 'Z')
		return true;
	if (f.len == strlen("_start") && words_begin(f, "_start"))
		return true;
	return f.len > 0 && kernel.len > 0 &&
	    words_equal(bare(f), bare(kernel));
}
