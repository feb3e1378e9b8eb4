#include <langinfo.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "base/utf8.h"

#include "report/out.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MIN 40
#define WIDTH_MAX 120		/* longer lines are hard to read */

static bool
wants_color(FILE *file, enum out_color color)
{
	const char *v;

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if ((v = getenv("NO_COLOR")) != NULL && *v != '\0')
		return false;
	if ((v = getenv("CLICOLOR_FORCE")) != NULL && *v != '\0' &&
	    strcmp(v, "0") != 0)
		return true;
	if ((v = getenv("TERM")) == NULL || strcmp(v, "dumb") == 0)
		return false;
	return isatty(fileno(file));
}

static int
find_width(FILE *file)
{
	struct winsize ws;
	const char *v;
	long n = 0;

	if (fileno(file) >= 0 &&
	    ioctl(fileno(file), TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		n = ws.ws_col;
	else if ((v = getenv("COLUMNS")) != NULL)
		n = strtol(v, NULL, 10);
	if (n <= 0)
		n = WIDTH_DEFAULT;
	return n < WIDTH_MIN ? WIDTH_MIN : n > WIDTH_MAX ? WIDTH_MAX : (int)n;
}

void
out_setup(struct out *o, FILE *file, enum out_color color)
{

	o->file = file;
	o->column = 0;
	o->width = find_width(file);
	o->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	o->color = wants_color(file, color);
}

void
out_style(struct out *o, enum out_style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "\033[0m",
		[STYLE_BOLD] = "\033[1m",
		[STYLE_DIM] = "\033[2m",
		[STYLE_GOOD] = "\033[32m",
		[STYLE_WARN] = "\033[33m",
		[STYLE_BAD] = "\033[31m",
	};

	if (o->color)
		fputs(codes[style], o->file);
}

/* The ASCII form of our glyphs, for locales without them. */
static const char *
ascii_of(uint32_t c)
{
	static const struct {
		uint32_t code;
		const char *ascii;
	} table[] = {
		{ 0xb5, "u" }, { 0xb7, "-" }, { 0xd7, "x" }, { 0x3bc, "u" },
		{ 0x2013, "-" }, { 0x2014, "-" }, { 0x2018, "'" },
		{ 0x2019, "'" }, { 0x201c, "\"" }, { 0x201d, "\"" },
		{ 0x2026, "..." }, { 0x2192, "->" }, { 0x2212, "-" },
		{ 0x2248, "~" }, { 0x2260, "!=" }, { 0x2264, "<=" },
		{ 0x2265, ">=" }, { 0x2588, "#" }, { 0x2591, "." },
		{ 0x2592, "=" }, { 0xa0, " " }, { 0x202f, " " },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].code == c)
			return table[i].ascii;
	return "?";
}

/* Characters that move the cursor, change the terminal's state, or display text
 * other than what is there. */
static bool
is_unsafe(uint32_t c)
{

	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e ||
	    c == 0x200f || c == 0x61c || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 ||
	    c == 0xfeff;
}

/*
 * How the character at ${s} is printed: its text and length in *${as} and
 * *${aslen}. Returns the bytes of ${s} it took.
 */
static size_t
next_char(const struct out *o, const char *s, size_t len, const char **as,
    size_t *aslen)
{
	size_t n = utf8_length(s, len);
	uint32_t c;

	if (n == 0) {
		*as = "?";
		*aslen = 1;
		return 1;
	}
	c = utf8_code(s, n);
	*as = s;
	*aslen = n;
	if (c == '\t')
		*as = " ";
	else if (is_unsafe(c))
		*as = "?";
	else if (c >= 0x80 && !o->utf8)
		*as = ascii_of(c);
	if (*as != s)
		*aslen = strlen(*as);
	return n;
}

static void
put(struct out *o, const char *s, size_t len)
{
	const char *as;
	size_t n, aslen;

	for (; len > 0; s += n, len -= n) {
		n = next_char(o, s, len, &as, &aslen);
		fwrite(as, 1, aslen, o->file);
		o->column += (int)utf8_columns(as, aslen);
	}
}

static int
measure(const struct out *o, const char *s, size_t len)
{
	const char *as;
	size_t n, aslen;
	int columns = 0;

	for (; len > 0; s += n, len -= n) {
		n = next_char(o, s, len, &as, &aslen);
		columns += (int)utf8_columns(as, aslen);
	}
	return columns;
}

int
out_columns(const struct out *o, const char *s)
{

	return measure(o, s, strlen(s));
}

char *
out_clean(const struct out *o, const char *s)
{
	size_t len = strlen(s), at = 0, n, aslen;
	const char *as;
	char *clean;

	/* "..." for a three-byte character: at most twice the length. */
	if ((clean = malloc(2 * len + 1)) == NULL)
		return NULL;
	for (; len > 0; s += n, len -= n) {
		n = next_char(o, s, len, &as, &aslen);
		memcpy(clean + at, as, aslen);
		at += aslen;
	}
	clean[at] = '\0';
	return clean;
}

void
out_line(struct out *o)
{

	putc('\n', o->file);
	o->column = 0;
}

void
out_text(struct out *o, const char *s)
{
	size_t n;

	for (;;) {
		n = strcspn(s, "\n");
		put(o, s, n);
		if (s[n] == '\0')
			return;
		out_line(o);
		s += n + 1;
	}
}

void
out_format(struct out *o, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	out_text(o, s);
	free(s);
}

void
out_spaces(struct out *o, int n)
{

	for (; n > 0; n--) {
		putc(' ', o->file);
		o->column++;
	}
}

void
out_cell(struct out *o, const char *s, int columns)
{
	const char *ellipsis = o->utf8 ? "…" : "...";
	int room = columns, start = o->column, w;
	size_t len = strlen(s), n, aslen;
	const char *as;

	if (measure(o, s, len) > columns)
		room -= o->utf8 ? 1 : 3;
	else
		ellipsis = "";
	for (; len > 0; s += n, len -= n) {
		n = next_char(o, s, len, &as, &aslen);
		w = (int)utf8_columns(as, aslen);
		if (o->column - start + w > room)
			break;
		put(o, s, n);
	}
	put(o, ellipsis, strlen(ellipsis));
	out_spaces(o, columns - (o->column - start));
}

/* The bytes of the word ${s} that fit on a line of its own: up to the last part
 * of a qualified name that fits. */
static size_t
fit(const struct out *o, int indent, const char *s, size_t len)
{
	int room = o->width - indent;
	size_t n, all = 0, name = 0;

	while (all < len) {
		n = utf8_length(s + all, len - all);
		n = n > 0 ? n : 1;
		if (all > 0 && measure(o, s, all + n) > room)
			return name > 0 ? name : all;
		all += n;
		if (all < len && all > 2 && memcmp(s + all - 2, "::", 2) == 0)
			name = all;
	}
	return all;
}

/* The bytes of the word that ${s} begins with; a number's unit belongs to it. */
static size_t
word_length(const char *s)
{
	size_t n = strcspn(s, " \t\n");

	if (n > 0 && s[n - 1] >= '0' && s[n - 1] <= '9' && s[n] == ' ' &&
	    number_is_unit(s + n + 1, strcspn(s + n + 1, " \t\n,;:)")))
		n += 1 + strcspn(s + n + 1, " \t\n");
	return n;
}

void
out_wrap(struct out *o, int indent, const char *s)
{
	bool first = true;
	size_t n;
	int w;

	if (o->column < indent)
		out_spaces(o, indent - o->column);
	for (s += strspn(s, " \t\n"); *s != '\0'; s += n, s += strspn(s,
	    " \t\n")) {
		n = word_length(s);
		w = measure(o, s, n);
		/* A word wider than a line is broken at the line's end, unless
		 * it is a path, which users may copy. */
		if (w > o->width - indent && memchr(s, '/', n) == NULL)
			w = measure(o, s, n = fit(o, indent, s, n));
		if (o->column > indent && o->column + !first + w > o->width) {
			out_line(o);
			out_spaces(o, indent);
		} else if (!first) {
			out_spaces(o, 1);
		}
		put(o, s, n);
		first = false;
	}
	out_line(o);
}

int
out_lines(const struct out *o, int indent, const char *s)
{
	struct out page = *o;
	char *text = NULL;
	int lines = 0;
	size_t len;

	if ((page.file = open_memstream(&text, &len)) == NULL)
		return 0;
	page.column = indent;
	out_wrap(&page, indent, s);
	if (fclose(page.file) == 0)
		for (const char *c = text; *c != '\0'; c++)
			lines += *c == '\n';
	free(text);
	return lines;
}

void
out_code(struct out *o, int indent, const char *s)
{
	const char *p;
	size_t n;
	int tabs;

	for (; *s != '\0'; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		p = s;
		for (tabs = 0; p < s + n && *p == '\t'; p++)
			tabs++;
		out_spaces(o, indent + 4 * tabs);
		put(o, p, n - (size_t)tabs);
		out_line(o);
	}
}

/* Moves to where ${w} columns fit: behind ${separator}, or on a new line. */
static void
place(struct out *o, int indent, const char *separator, int w)
{

	if (o->column <= indent) {
		out_spaces(o, indent - o->column);
	} else if (o->column + out_columns(o, separator) + w < o->width) {
		out_text(o, separator);
	} else {
		/* A comma stays on the line it ends. */
		if (separator[0] != '\0' &&
		    strchr(",:;", separator[0]) != NULL)
			put(o, separator, 1);
		out_line(o);
		out_spaces(o, indent);
		/* … and a parenthesis goes with what it opens. */
		if (separator[0] != '\0' &&
		    separator[strlen(separator) - 1] == '(')
			put(o, "(", 1);
	}
}

void
out_segment(struct out *o, int indent, const char *separator, const char *s)
{
	int w = out_columns(o, s);

	place(o, indent, separator, w);
	if (w > o->width - o->column)
		out_cell(o, s, o->width - o->column);
	else
		put(o, s, strlen(s));
}

void
out_command(struct out *o, int indent, const char *separator, const char *s)
{

	place(o, indent, separator, out_columns(o, s));
	put(o, s, strlen(s));
}

bool
out_append(struct out *o, const char *separator, const char *s)
{

	if (o->column + out_columns(o, separator) + out_columns(o, s) >
	    o->width)
		return false;
	put(o, separator, strlen(separator));
	put(o, s, strlen(s));
	return true;
}
