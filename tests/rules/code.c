#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/code.h"

#define MAX 512
#define SOURCE "tests/kernel.cu"

struct row {
	char sass[128];
	char note[256];
};

static void
die(const char *what, const char *text)
{
	fprintf(stderr, "code_make: %s: %s\n", what, text);
	abort();
}

#define ROOM 16384		/* bytes of a listing, more than twice the longest */

/* The contents of all listing files, concatenated. */
static char *
read_listings(void)
{
	size_t len = 0, room = 1 << 18;
	char *all = calloc(1, room);
	glob_t g;

	if (all == NULL || glob(TEST_DIR "/rules/sass/*.sass", 0, NULL, &g) != 0)
		die("no listings", TEST_DIR);
	all[len++] = '\n';
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");

		if (f == NULL)
			die("cannot be read", g.gl_pathv[i]);
		len += fread(all + len, 1, room - 2 - len, f);
		fclose(f);
		all[len++] = '\n';
	}
	if (len + 2 >= room)
		die("too long", "all listings");
	globfree(&g);
	return all;
}

static const char *
find_listing(const char *name)
{
	static char *all;
	char head[64];
	const char *at;

	if (all == NULL)
		all = read_listings();
	snprintf(head, sizeof(head), "\n:%s\n", name);
	if ((at = strstr(all, head)) == NULL)
		die("no such listing", name);
	if (strstr(at + 1, head) != NULL)
		die("two listings", name);
	return at + strlen(head);
}

/* Append ${len} bytes of ${line} and a newline, with ${arg} in place of $1 and $2…. */
static void
append(char *out, const char *line, size_t len, char arg[][32])
{
	size_t at = strlen(out);

	for (size_t i = 0; i < len; i++) {
		const char *from = line + i;
		size_t n = 1;

		if (line[i] == '$' && line[i + 1] >= '1' && line[i + 1] <= '3') {
			from = arg[line[++i] - '1'];
			n = strlen(from);
		}
		if (at + n + 2 > ROOM)
			die("too long", line);
		memcpy(out + at, from, n);
		at += n;
	}
	out[at++] = '\n';
	out[at] = '\0';
}

static void
expand(char *out, const char *name, char arg[][32])
{
	const char *line = find_listing(name);

	while (*line != '\0' && *line != ':') {
		size_t len = strcspn(line, "\n");
		char call[128] = "", other[64], of[3][32] = { "", "", "" };

		if (*line == '+') {
			append(call, line + 1, len - 1, arg);
			sscanf(call, "%63s %31s %31s %31s", other, of[0], of[1],
			    of[2]);
			expand(out, other, of);
		} else if (*line != '#' && len > 0) {
			append(out, line, len, arg);
		}
		line += len + (line[len] == '\n');
	}
}

const char *
code_text(const char *name, ...)
{
	static char text[8][ROOM];
	static unsigned next;
	char format[ROOM] = "", none[3][32] = { "", "", "" };
	char *out = text[next++ % 8];
	va_list ap;

	expand(format, name, none);
	va_start(ap, name);
	if (vsnprintf(out, ROOM, format, ap) >= ROOM)
		die("too long", name);
	va_end(ap);
	return out;
}

static size_t
split(const char *text, struct row *row)
{
	size_t n = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		const char *bar = memmem(text, len, " | ", 3);
		size_t sass = bar != NULL ? (size_t)(bar - text) : len;

		if (sass >= sizeof(row->sass) || n == MAX)
			die("too long", text);
		memset(&row[n], 0, sizeof(row[n]));
		memcpy(row[n].sass, text, sass);
		while (sass > 0 && row[n].sass[sass - 1] == ' ')
			row[n].sass[--sass] = '\0';
		if (bar != NULL)
			snprintf(row[n].note, sizeof(row[n].note), "%.*s",
			    (int)(len - (size_t)(bar - text) - 3), bar + 3);
		if (sass > 0)
			n++;
		text += len + (text[len] == '\n');
	}
	return n;
}

/* Prints the instruction with its pc, and the pc of a branch's target: "BRA #3"
 * → "BRA 0x30". */
static void
print_sass(char *out, size_t room, size_t i, const struct row *row)
{
	const char *mark = strchr(row->sass, '#');

	if (mark != NULL)
		snprintf(out, room, "%04zx %.*s0x%lx\n", i * 16,
		    (int)(mark - row->sass), row->sass,
		    strtoul(mark + 1, NULL, 10) * 16);
	else
		snprintf(out, room, "%04zx %s\n", i * 16, row->sass);
}

static void
note_word(struct instruction *i, const char *word, double v, double *lanes,
    double *active)
{
	static const struct { const char *word; enum source_metric id; } map[] = {
		{ "inst", SOURCE_INST }, { "sectors", SOURCE_GLOBAL_SECTORS },
		{ "ideal", SOURCE_GLOBAL_IDEAL }, { "tags", SOURCE_GLOBAL_TAGS },
		{ "local", SOURCE_LOCAL_SECTORS },
		{ "waves", SOURCE_SHARED_WAVEFRONTS },
		{ "least", SOURCE_SHARED_IDEAL },
		{ "divergent", SOURCE_BRANCH_DIVERGENT },
		{ "uniform", SOURCE_BRANCH_UNIFORM },
	};

	for (size_t k = 0; k < sizeof(map) / sizeof(map[0]); k++)
		if (strcmp(word, map[k].word) == 0) {
			i->value[map[k].id] = v;
			return;
		}
	if (strcmp(word, "lanes") == 0) {
		*lanes = v;
		return;
	}
	if (strcmp(word, "active") == 0) {
		*active = v;
		return;
	}
	for (int s = 0; s < STALL_COUNT; s++)
		if (strcmp(word, stall_table[s].key) == 0) {
			i->samples.stall[s] = (uint32_t)v;
			i->samples.all += (uint64_t)v;
			return;
		}
	die("unknown word", word);
}

static uint32_t
line_index(struct code *c, uint32_t number)
{
	size_t i;

	for (i = 0; i < c->lines; i++)
		if (c->line[i].line == number)
			return (uint32_t)i;
	c->line[i] = (struct source_line){ .line = number,
	    .inlined_at = LINE_NONE };
	c->lines++;
	return (uint32_t)i;
}

static void
note(struct code *c, struct instruction *i, const char *text)
{
	double lanes = 32, active = NAN, v;
	char word[32];
	int used;

	for (int m = 0; m < SOURCE_COUNT; m++)
		i->value[m] = 0;
	i->line = LINE_NONE;
	while (sscanf(text, " %31s %lf%n", word, &v, &used) == 2) {
		if (strcmp(word, "line") == 0)
			i->line = line_index(c, (uint32_t)v);
		else
			note_word(i, word, v, &lanes, &active);
		text += used;
	}
	i->value[SOURCE_THREADS_ON] = i->value[SOURCE_INST] * lanes;
	i->value[SOURCE_THREADS] = i->value[SOURCE_INST] *
	    (isnan(active) ? lanes : active);
}

/* Sets the counts that follow from the kind of the instruction. */
static void
sort_access(struct instruction *i, const struct sass_instruction *s)
{
	double inst = i->value[SOURCE_INST];
	bool shared = s->space == SPACE_SHARED;

	if (s->space != SPACE_GLOBAL && !shared)
		return;
	if (s->flags & SASS_ATOMIC)
		i->value[shared ? SOURCE_SHARED_ATOM :
		    strncmp(s->opcode, "RED", 3) == 0 ? SOURCE_GLOBAL_RED :
		    SOURCE_GLOBAL_ATOM] = inst;
	else if (s->flags & SASS_STORE)
		i->value[shared ? SOURCE_SHARED_ST : SOURCE_GLOBAL_ST] = inst;
	else if (s->flags & SASS_LOAD)
		i->value[shared ? SOURCE_SHARED_LD : SOURCE_GLOBAL_LD] = inst;
}

static void
sum_up(struct code_made *c)
{
	struct code *k = &c->code;

	memset(k->total, 0, sizeof(k->total));
	memset(&k->samples, 0, sizeof(k->samples));
	for (size_t i = 0; i < k->instructions; i++) {
		const struct instruction *one = &k->instruction[i];

		for (int m = 0; m < SOURCE_COUNT; m++)
			k->total[m] += one->value[m];
		k->samples.all += one->samples.all;
		for (int s = 0; s < STALL_COUNT; s++)
			k->samples.stall[s] += one->samples.stall[s];
	}
	k->sampled = k->samples.all > 0;
}

/* The sum of ${value} over the instructions with ${kind}: global loads or stores. */
static double
sum_of(const struct code *c, enum source_metric value, enum source_metric kind)
{
	double sum = 0;

	for (size_t i = 0; i < c->instructions; i++)
		if (c->instruction[i].value[kind] > 0)
			sum += c->instruction[i].value[value];
	return sum;
}

/* Sets the kernel's counters to what the instructions' counts add up to. */
static void
set_counters(struct kernel *k, const struct code *c)
{
	double *v = k->metric;
	double ld = sum_of(c, SOURCE_GLOBAL_SECTORS, SOURCE_GLOBAL_LD);
	double st = sum_of(c, SOURCE_GLOBAL_SECTORS, SOURCE_GLOBAL_ST);
	double shared_ld = sum_of(c, SOURCE_SHARED_WAVEFRONTS, SOURCE_SHARED_LD);
	double shared_st = sum_of(c, SOURCE_SHARED_WAVEFRONTS, SOURCE_SHARED_ST);

	v[METRIC_INST_EXECUTED] = c->total[SOURCE_INST];
	v[METRIC_THREAD_INST] = c->total[SOURCE_THREADS];
	v[METRIC_THREAD_INST_PRED_ON] = c->total[SOURCE_THREADS_ON];
	v[METRIC_BRANCH_UNIFORM] = c->total[SOURCE_BRANCH_UNIFORM];
	v[METRIC_BRANCH_DIVERGENT] = c->total[SOURCE_BRANCH_DIVERGENT];
	v[METRIC_GLOBAL_LD_SECTORS] = ld;
	v[METRIC_GLOBAL_ST_SECTORS] = st;
	v[METRIC_GLOBAL_LD_REQUESTS] = c->total[SOURCE_GLOBAL_LD];
	v[METRIC_GLOBAL_ST_REQUESTS] = c->total[SOURCE_GLOBAL_ST];
	v[METRIC_L2_READ] = ld;
	v[METRIC_L2_WRITE] = st;
	v[METRIC_L2_SECTORS] = ld + st;
	v[METRIC_SHARED_LD_WAVEFRONTS] = shared_ld;
	v[METRIC_SHARED_ST_WAVEFRONTS] = shared_st;
	v[METRIC_SHARED_WAVEFRONTS] = c->total[SOURCE_SHARED_WAVEFRONTS];
	v[METRIC_SHARED_LD_INST] = c->total[SOURCE_SHARED_LD];
	v[METRIC_SHARED_ST_INST] = c->total[SOURCE_SHARED_ST];
	v[METRIC_LSU_WAVEFRONTS] = c->total[SOURCE_SHARED_WAVEFRONTS] +
	    (ld + st) / 4 + c->total[SOURCE_LOCAL_SECTORS] / 4;
	v[METRIC_LOCAL_LD_SECTORS] = c->total[SOURCE_LOCAL_SECTORS];
}

static void
scale_by(struct code *c, double scale)
{
	for (size_t i = 0; i < c->instructions; i++)
		for (int m = 0; m < SOURCE_COUNT; m++)
			c->instruction[i].value[m] *= scale;
}

struct code_made *
code_make(struct made *m, struct kernel *k, const char *text, double scale)
{
	struct code_made *c = calloc(1, sizeof(*c));
	struct row *row = calloc(MAX, sizeof(*row));
	char *sass = calloc(MAX, 160);
	struct code *code;
	size_t n, at = 0;

	if (c == NULL || row == NULL || sass == NULL)
		die("no memory", "");
	code = &c->code;
	n = split(text, row);
	for (size_t i = 0; i < n; i++) {
		print_sass(sass + at, 160, i, &row[i]);
		at += strlen(sass + at);
	}
	if (sass_parse(&code->sass, sass, at) != 0 ||
	    code->sass.instructions != n)
		die("not parsed", sass);
	code->instruction = calloc(n + 1, sizeof(*code->instruction));
	code->line = calloc(n + 1, sizeof(*code->line));
	if (code->instruction == NULL || code->line == NULL)
		die("no memory", "");
	code->instructions = n;
	for (size_t i = 0; i < n; i++) {
		struct instruction *one = &code->instruction[i];

		one->pc = (uint32_t)i * 16;
		one->sass = (uint32_t)i;
		note(code, one, row[i].note);
		sort_access(one, &code->sass.instruction[i]);
	}
	code->cubin = 1;
	code->function = k->mangled;
	code->counted = code->disassembled = code->launches_known = true;
	code->has_lines = code->lines > 0;
	if (!code->has_lines)
		code->lineless = &reason_row[REASON_NO_LINEINFO];
	scale_by(code, scale);
	sum_up(c);
	set_counters(k, code);
	if (m->codes == MADE_MAX)
		die("too many", text);
	m->code[m->codes++] = c;
	c->file[0].path = SOURCE;
	m->run.source_file = c->file;
	m->run.source_files = 1;
	m->run.level = LEVEL_SOURCE;
	k->code = code;
	free(row);
	free(sass);
	return c;
}

struct kernel *
code_kernel(struct made *m, double dram, const char *text)
{
	struct kernel *k = made_counted(m, dram);

	code_make(m, k, text, CODE_SCALE);
	return k;
}

void
code_release(struct made *m)
{
	for (size_t i = 0; i < m->codes; i++) {
		struct code_made *c = m->code[i];

		sass_free(&c->code.sass);
		free(c->code.instruction);
		free(c->code.line);
		free(c);
	}
	m->codes = 0;
}
