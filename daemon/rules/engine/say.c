#include <ctype.h>
#include <string.h>

#include "base/number.h"

#include "model/model.h"

#include "rules/engine/say.h"

#define FUNCTIONS_TOLD 100	/* counting them is quadratic */

#define NAME_MAX_QUOTED 400	/* bytes of a kernel name on a command line */

/* say_NAME(a, v): the text of number_NAME, in the arena. */
#define SAY(name, type) \
	const char * \
	say_##name(struct arena *a, type v) \
	{ \
		char out[NUMBER_SIZE]; \
 \
		return arena_format(a, "%s", number_##name(out, v)); \
	}

SAY(plain, double)
SAY(times, double)
SAY(seconds, double)
SAY(bytes, double)
SAY(percent, double)
SAY(count, uint64_t)
SAY(whole, double)

const char *
say_rate(struct arena *a, double bytes_per_s)
{
	char out[NUMBER_SIZE];

	return arena_format(a, "%s", number_rate(out, bytes_per_s, "B/s"));
}

const char *
say_counted(struct arena *a, double n, const char *noun)
{
	char out[NUMBER_SIZE];

	return arena_format(a, "%s", number_of(out, n, noun));
}

const char *
say_launch(struct arena *a, const uint32_t grid[3], const uint32_t block[3])
{
	char of_grid[NUMBER_SIZE], of_block[NUMBER_SIZE];

	return arena_format(a, "grid %s, block %s", number_shape(of_grid, grid),
	    number_shape(of_block, block));
}

const char *
say_shape(struct arena *a, const struct kernel *k)
{
	const struct record_SIGNATURE *s = &k->shape;

	return arena_format(a, "%s, %s", say_launch(a,
	    (uint32_t[]){ s->grid_x, s->grid_y, s->grid_z },
	    (uint32_t[]){ s->block_x, s->block_y, s->block_z }),
	    say_counted(a, (double)k->launches, "launch"));
}

static double
volume(const uint32_t v[3])
{
	return (double)v[0] * v[1] * v[2];
}

/* "256", "16 to 256": the smallest and the largest value. */
static const char *
say_range(struct arena *a, const uint32_t least[3], const uint32_t most[3])
{
	char from[NUMBER_SIZE], to[NUMBER_SIZE];

	number_shape(from, least);
	if (memcmp(least, most, 3 * sizeof(*least)) == 0)
		return arena_format(a, "%s", from);
	return arena_format(a, "%s to %s", from, number_shape(to, most));
}

const char *
say_shapes(struct arena *a, const struct kernel *const *k, size_t n)
{
	uint32_t least[2][3], most[2][3];
	uint64_t launches = 0;

	for (size_t i = 0; i < n; i++) {
		const struct record_SIGNATURE *s = &k[i]->shape;
		const uint32_t v[2][3] = {
			{ s->grid_x, s->grid_y, s->grid_z },
			{ s->block_x, s->block_y, s->block_z },
		};

		for (int d = 0; d < 2; d++) {
			if (i == 0 || volume(v[d]) < volume(least[d]))
				memcpy(least[d], v[d], sizeof(v[d]));
			if (i == 0 || volume(v[d]) > volume(most[d]))
				memcpy(most[d], v[d], sizeof(v[d]));
		}
		launches += k[i]->launches;
	}
	return arena_format(a, "grid %s, block %s, %s, %s",
	    say_range(a, least[0], most[0]), say_range(a, least[1], most[1]),
	    say_counted(a, (double)n, "launch shape"),
	    say_counted(a, (double)launches, "launch"));
}

const char *
say_functions(struct arena *a, const struct kernel *const *k, size_t n)
{
	size_t functions = 0, before;

	for (size_t i = 0; i < n && functions < FUNCTIONS_TOLD; i++) {
		for (before = 0; before < i; before++)
			if (k[before]->mangled == k[i]->mangled)
				break;	/* interned */
		functions += before == i;
	}
	return functions < 2 ? say_shapes(a, k, n) : arena_format(a, "%s%s: %s",
	    functions < FUNCTIONS_TOLD ? "" : "at least ",
	    say_counted(a, (double)functions, "kernel"), say_shapes(a, k, n));
}

static bool
is_plain(unsigned char c)
{
	return isalnum(c) || strchr("_-./=:,+@%^", c) != NULL;
}

static const char *
quote(struct arena *a, const char *s, size_t len)
{
	char *out;
	size_t o = 0, i;

	for (i = 0; i < len && s[i] != '\0' && is_plain((unsigned char)s[i]);
	    i++)
		;
	if (i == len && len > 0)
		return arena_format(a, "%.*s", (int)len, s);
	out = arena_get(a, len * 4 + 3);
	if (out == NULL)
		return "''";
	out[o++] = '\'';
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\'') {
			memcpy(out + o, "'\\''", 4);
			o += 4;
		} else {
			out[o++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
		}
	}
	out[o++] = '\'';
	out[o] = '\0';
	return out;
}

/* Is it only words, quoted or not, without an operator, expansion or substitution? */
static bool
is_words(const char *s)
{
	enum { PLAIN, SINGLE, DOUBLE } state = PLAIN;

	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			return false;
		if (state == SINGLE) {
			if (c == '\'')
				state = PLAIN;
		} else if (state == DOUBLE) {
			if (strchr("$`\\!", c) != NULL)
				return false;
			if (c == '"')
				state = PLAIN;
		} else if (c == '\'') {
			state = SINGLE;
		} else if (c == '"') {
			state = DOUBLE;
		} else if (c == '\\') {
			if ((unsigned char)s[1] < 0x20 || s[1] == 0x7f)
				return false;
			s++;
		} else if (c != ' ' && c < 0x80 && !is_plain(c)) {
			return false;
		}
	}
	return state == PLAIN;
}

const char *
say_command(struct arena *a, const struct run *run)
{
	const char *s = run->command, *line = "";

	if (s == NULL || *s == '\0')
		return "PROGRAM";
	if (is_words(s))
		return arena_format(a, "%s", s);
	while (*s != '\0') {
		size_t n = strcspn(s, " ");

		if (n > 0)
			line = arena_format(a, "%s%s%s", line,
			    *line != '\0' ? " " : "", quote(a, s, n));
		s += n;
		s += strspn(s, " ");
	}
	return line;
}

const char *
say_ncu(struct arena *a, const struct run *run, const struct kernel *k,
    const char *options)
{
	bool exact = k->mangled != NULL && *k->mangled != '\0' &&
	    strlen(k->mangled) <= NAME_MAX_QUOTED;
	const char *name = exact ? k->mangled :
	    k->short_name != NULL ? k->short_name : "";

	return arena_format(a, "ncu %s --kernel-name-base %s --kernel-name %s "
	    "--launch-count 1 %s", options, exact ? "mangled" : "function",
	    quote(a, name, strnlen(name, NAME_MAX_QUOTED)),
	    say_command(a, run));
}

const char *
say_tool(struct arena *a, const struct run *run, const char *tool)
{
	return arena_format(a, "%s %s", tool, say_command(a, run));
}

/* The length of a command that begins with a tool of ${tool} letters, followed
 * by options with their values. */
static size_t
command_length(const char *next, size_t tool)
{
	const char *p = next + tool;
	bool value = false;

	while (*p == ' ' && (value || strncmp(p, " --", 3) == 0)) {
		size_t n = 1 + strcspn(p + 1, " ;,");

		/* "--trace=cuda,osrt" is one word. */
		while (p[n] == ',' && p[n + 1] != ' ')
			n += 1 + strcspn(p + n + 1, " ;,");
		value = !value && memchr(p, '=', n) == NULL;
		p += n;
	}
	return (size_t)(p - next);
}

const char *
say_next(struct arena *a, const struct run *run, const struct kernel *k,
    const char *next)
{
	static const char *const tools[] = { "nsys profile",
	    "compute-sanitizer" };
	size_t ncu = strlen("ncu ");

	if (k != NULL && strncmp(next, "ncu", ncu - 1) == 0)
		return say_ncu(a, run, k, arena_format(a, "%.*s",
		    (int)(command_length(next, ncu - 1) - ncu), next + ncu));
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strncmp(next, tools[i], strlen(tools[i])) == 0)
			return say_tool(a, run, arena_format(a, "%.*s",
			    (int)command_length(next, strlen(tools[i])), next));
	return NULL;
}
