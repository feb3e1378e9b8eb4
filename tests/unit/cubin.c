/*
 * Cubins and their line tables, compared with what nvdisasm printed for the same file
 * (t.gi.sass) and, if CUPTI is installed, with what CUPTI says about every instruction.
 * Then truncated or damaged files: any answer is right, but there must be one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/cubin.h"
#include "unit/test.h"

#ifdef HAVE_CUPTI
#include <dlfcn.h>
#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#endif

#define DIR TEST_DIR "/captures/cubins/"
#define STEP 16u

struct file {
	uint8_t *p;
	size_t size;
	struct cubin c;
};

static uint8_t *
read_file(const char *name, size_t *size)
{
	char path[4096];
	uint8_t *p = malloc(1u << 20);
	FILE *f;

	snprintf(path, sizeof(path), DIR "%s", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_non_null(p);
	*size = fread(p, 1, (1u << 20) - 1, f);
	p[*size] = '\0';
	fclose(f);
	return p;
}

static void
open_file(struct file *f, const char *name)
{
	struct error e = ERROR_INIT;

	f->p = read_file(name, &f->size);
	if (cubin_open(&f->c, f->p, f->size, &e) != 0)
		fail_msg("%s: %s", name, e.text);
}

static void
close_file(struct file *f)
{

	cubin_close(&f->c);
	free(f->p);
}

static void
read_lines(struct lines *l, const struct cubin *c, const char *name)
{
	const struct cubin_function *f = cubin_find(c, name, 0);
	struct error e = ERROR_INIT;

	assert_non_null(f);
	if (lines_read(l, c, f, &e) != 0)
		fail_msg("%s: %s", name, e.text);
}

/* "t.cuh:4 _Z6helperP~": file names without their directories. */
static const char *
chain(const struct lines *l, uint32_t pc)
{
	static char out[1024];
	const struct line_row *row = lines_at(l, pc);
	const struct line_place *p;
	const char *file;
	size_t len = 0;
	uint32_t i;

	out[0] = '\0';
	for (i = 0; row != NULL && i < row->depth; i++) {
		p = &row->place[i];
		assert_true(p->file < l->files);
		file = strrchr(l->file[p->file], '/');
		file = file == NULL ? l->file[p->file] : file + 1;
		len += (size_t)snprintf(out + len, sizeof(out) - len,
		    "%s%s:%u%s%s", i == 0 ? "" : ", ", file, p->line,
		    p->function == NULL ? "" : " ",
		    p->function == NULL ? "" : p->function);
	}
	return out;
}

TEST(opens)
{
	static const struct {
		const char *name;
		uint32_t arch;
		size_t functions;
		bool debug;
	} row[] = {
		{ "t80.cubin", 80, 2, false }, { "t.cubin", 90, 2, false },
		{ "t100.cubin", 100, 2, false }, { "tg.cubin", 90, 4, true },
		{ "m.cubin", 90, 6, false },
	};
	struct file f;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		open_file(&f, row[i].name);
		assert_int_equal(f.c.arch, row[i].arch);
		assert_int_equal(f.c.functions, row[i].functions);
		assert_true(f.c.lines);
		assert_int_equal(f.c.debug, row[i].debug);
		close_file(&f);
	}
}

TEST(functions)
{
	const struct cubin_function *k, *inner;
	struct file f;

	open_file(&f, "t.cubin");
	k = cubin_find(&f.c, "_Z1kPKfPfi", 0);
	assert_non_null(k);
	assert_true(k->entry);
	assert_int_equal(k->symbol, 13);
	assert_int_equal(k->offset, 0);
	assert_int_equal(k->size, 0x700);
	assert_ptr_equal(k, cubin_find(&f.c, "_Z1kPKfPfi", 13));
	inner = cubin_find(&f.c,
	    "$__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath", 6);
	assert_non_null(inner);
	assert_false(inner->entry);
	assert_int_equal(inner->section, k->section);
	assert_int_equal(inner->offset, 0x330);
	assert_int_equal(inner->size, 0x3d0);
	assert_null(cubin_find(&f.c, "_Z1kPKfPf", 0));
	assert_null(cubin_find(&f.c, "_Z1kPKfPfii", 0));
	close_file(&f);
}

/* Reads one "File …, line …" from nvdisasm's comment, with what it is inlined at. */
static void
file_line(const char *s, char *out, size_t cap)
{
	const char *name = strchr(s, '"'), *end, *line;

	assert_non_null(name);
	end = strchr(name + 1, '"');
	assert_non_null(end);
	line = strstr(end, "line ");
	assert_non_null(line);
	snprintf(out, cap, "%.*s:%ld", (int)(end - name - 1), name + 1,
	    strtol(line + 5, NULL, 10));
}

static unsigned
same_chain(const struct lines *l, uint32_t pc, char want[][128],
    unsigned depth)
{
	const struct line_row *row = lines_at(l, pc);
	char have[300];
	unsigned i;

	assert_non_null(row);
	assert_int_equal(row->depth, depth);
	for (i = 0; i < depth; i++) {
		snprintf(have, sizeof(have), "%s:%u",
		    l->file[row->place[i].file], row->place[i].line);
		assert_string_equal(have, want[i]);
	}
	return 1;
}

TEST(as_nvdisasm)
{
	char want[LINE_DEPTH][128], *text, *s, *nl;
	unsigned depth = 0, checked = 0, inlined = 0;
	bool more = false;
	struct lines l;
	struct file f;
	size_t size;

	open_file(&f, "t.cubin");
	read_lines(&l, &f.c, "_Z1kPKfPfi");
	text = (char *)read_file("t.gi.sass", &size);
	for (s = text; s != NULL; s = nl) {
		if ((nl = strchr(s, '\n')) != NULL)
			*nl++ = '\0';
		s += strspn(s, " \t");
		if (strncmp(s, "//## File", 9) == 0) {
			if (!more)
				depth = 0;
			assert_true(depth < LINE_DEPTH);
			file_line(s, want[depth++], sizeof(want[0]));
			more = strstr(s, "inlined at") != NULL;
			inlined += more;
		} else if (strncmp(s, "/*", 2) == 0)
			checked += same_chain(&l, (uint32_t)strtoul(s + 2,
			    NULL, 16), want, depth);
	}
	assert_int_equal(checked, 0x700 / STEP);
	assert_int_equal(inlined, 6);
	free(text);
	lines_free(&l);
	close_file(&f);
}

/* Rows are numbered from the beginning of their sequence; names are not
 * repeated if only the file changes. */
TEST(two_functions)
{
	static const char called[] =
	    "t.cuh:4 _Z6helperPKfi, m.cu:11 _Z4deepPKfi, m.cu:";
	struct lines l;
	struct file f;

	open_file(&f, "m.cubin");
	read_lines(&l, &f.c, "_Z3oneIfEvPKT_PS0_i");
	assert_string_equal(chain(&l, 0), "m.cu:13");
	assert_string_equal(chain(&l, 0x60), "m.cu:16");
	assert_memory_equal(chain(&l, 0x80), called, sizeof(called) - 1);
	assert_string_equal(chain(&l, 0x80) + sizeof(called) - 1, "17");
	assert_string_equal(chain(&l, 0x100),
	    "t2.cuh:2 _Z5otherf, m.cu:11 _Z4deepPKfi, m.cu:17");
	assert_string_equal(chain(&l, 0x260),
	    "t2.cuh:2 _Z5otherf, m.cu:11 _Z4deepPKfi, m.cu:17");
	assert_string_equal(chain(&l, 0x3f0), "m.cu:11 _Z4deepPKfi, m.cu:17");
	lines_free(&l);
	read_lines(&l, &f.c, "_Z3twoPKfPfi");
	assert_memory_equal(chain(&l, 0x110), called, sizeof(called) - 1);
	assert_string_equal(chain(&l, 0x110) + sizeof(called) - 1, "27");
	assert_non_null(strstr(chain(&l, 0x3a0),
	    "sm_20_atomic_functions.hpp:84"));
	lines_free(&l);
	/* A function inside another one's section counts from its own beginning. */
	read_lines(&l, &f.c, "$_Z3twoPKfPfi$_Z4slowfi");
	assert_string_equal(chain(&l, 0), "m.cu:5");
	assert_string_equal(chain(&l, 0x110), "m.cu:6");
	assert_string_equal(chain(&l, 0x790), "m.cu:7");
	lines_free(&l);
	close_file(&f);
}

/* -G: every function has a section of its own, and the library's functions have
 * no lines. */
TEST(debug_build)
{
	const struct cubin_function *g;
	struct error e = ERROR_INIT;
	struct lines l;
	struct file f;

	open_file(&f, "tg.cubin");
	read_lines(&l, &f.c, "_Z6helperPKfi");
	assert_string_equal(chain(&l, 0x1c0), "t.cuh:4");
	lines_free(&l);
	g = cubin_find(&f.c, "__cuda_sm20_rcp_rn_f32_slowpath", 0);
	assert_non_null(g);
	assert_int_equal(lines_read(&l, &f.c, g, &e), -1);
	assert_true(e.set);
	assert_null(lines_at(&l, 0));
	close_file(&f);
}

/* launch.cu, not linked: kernels that launch kernels, themselves (0) or in a
 * function that they call, and kernels that do not. */
TEST(launches)
{
	static const struct {
		const char *name;
		uint32_t pc;
		bool direct;
	} row[] = {
		{ "_Z6parentPf", 0x1b0, true }, { "_Z4asksPf", 0xc0, false },
		{ "_Z5childPf", 0, false },
	};
	struct cubin_launch l[LAUNCHES_MAX];
	struct file f;
	size_t i, n;

	open_file(&f, "launch.cubin");
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		n = cubin_launches(&f.c, cubin_find(&f.c, row[i].name, 0), l);
		assert_int_equal(n, row[i].pc != 0);
		if (n == 0)
			continue;
		assert_int_equal(l[0].pc, row[i].pc);
		assert_int_equal(l[0].direct, row[i].direct);
	}
	close_file(&f);
	open_file(&f, "m.cubin");	/* this kernel only calls a function */
	for (i = 0; i < f.c.functions; i++)
		assert_int_equal(cubin_launches(&f.c, &f.c.function[i], l), 0);
	close_file(&f);
}

TEST(not_cubins)
{
	static const uint8_t elf[80] = "\177ELF\2\1\1";
	struct error e = ERROR_INIT;
	struct cubin c;
	struct file f;

	assert_int_equal(cubin_open(&c, elf, 0, &e), -1);
	assert_int_equal(cubin_open(&c, elf, sizeof(elf), NULL), -1);
	open_file(&f, "t.cubin");
	f.p[18] = 62;		/* x86-64 */
	assert_int_equal(cubin_open(&c, f.p, f.size, NULL), -1);
	close_file(&f);
}

/* Reads everything in the cubin. */
static size_t
read_all(const uint8_t *p, size_t size)
{
	struct cubin_launch at[LAUNCHES_MAX];
	struct cubin c;
	struct lines l;
	size_t i, k, rows = 0;

	if (cubin_open(&c, p, size, NULL) != 0)
		return 0;
	for (i = 0; i < c.functions; i++) {
		for (k = cubin_launches(&c, &c.function[i], at); k > 0; k--)
			assert_true(at[k - 1].pc < c.function[i].size);
		assert_ptr_equal(&c.function[i], cubin_find(&c,
		    c.function[i].name, c.function[i].symbol));
		if (lines_read(&l, &c, &c.function[i], NULL) == 0) {
			rows += l.rows;
			chain(&l, l.row[l.rows - 1].pc);
			lines_free(&l);
		}
	}
	cubin_close(&c);
	return rows;
}

TEST(cut)
{
	size_t size, len;
	uint8_t *p = read_file("t.cubin", &size), *copy;

	assert_true(read_all(p, size) > 10);
	for (len = 0; len < size; len += 7) {
		/* A separate allocation, so that a read past its end is detected. */
		copy = malloc(len + 1);
		assert_non_null(copy);
		memcpy(copy, p, len);
		read_all(copy, len);
		free(copy);
	}
	free(p);
}

static uint32_t
random32(uint32_t *seed)
{

	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

TEST(damaged)
{
	size_t size;
	uint8_t *p = read_file("m.cubin", &size), *copy = malloc(size);
	uint32_t seed = 1, i, k;

	assert_non_null(copy);
	for (i = 0; i < 3000; i++) {
		memcpy(copy, p, size);
		for (k = 0; k < 1 + i % 5; k++)
			copy[random32(&seed) % size] =
			    (uint8_t)random32(&seed);
		read_all(copy, size);
	}
	free(copy);
	free(p);
}

#ifdef HAVE_CUPTI
/* Leaks of CUPTI's own allocations are not ours. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{

	return "leak:libcupti";
}

typedef CUptiResult correlation(CUpti_GetSassToSourceCorrelationParams *);

/* CUPTI removes "x/.." from a path; cudadvise keeps the path as the compiler
 * wrote it. */
static void
shorten(char *path)
{
	char *up, *before;

	while ((up = strstr(path, "/../")) != NULL) {
		*up = '\0';
		before = strrchr(path, '/');
		assert_non_null(before);
		memmove(before, up + 3, strlen(up + 3) + 1);
	}
}

static unsigned
compare_cupti(correlation *ask, const struct file *f, const char *name)
{
	const struct cubin_function *g = cubin_find(&f->c, name, 0);
	CUpti_GetSassToSourceCorrelationParams q;
	const struct line_row *row;
	char want[4096], have[4096];
	unsigned n = 0;
	struct lines l;
	uint32_t pc;

	read_lines(&l, &f->c, name);
	for (pc = 0; pc < g->size; pc += STEP, n++) {
		memset(&q, 0, sizeof(q));
		q.size = CUpti_GetSassToSourceCorrelationParamsSize;
		q.cubin = f->p;
		q.cubinSize = f->size;
		q.functionName = name;
		q.pcOffset = pc;
		assert_int_equal(ask(&q), CUPTI_SUCCESS);
		row = lines_at(&l, pc);
		assert_non_null(row);
		assert_int_equal(row->place[0].line, q.lineNumber);
		snprintf(want, sizeof(want), "%s/%s", q.dirName, q.fileName);
		snprintf(have, sizeof(have), "%s",
		    l.file[row->place[0].file]);
		shorten(have);
		assert_string_equal(have, want);
		free(q.fileName);
		free(q.dirName);
	}
	lines_free(&l);
	return n;
}

TEST(as_cupti)
{
	static const char *const row[][2] = {
		{ "t.cubin", "_Z1kPKfPfi" }, { "t80.cubin", "_Z1kPKfPfi" },
		{ "t100.cubin", "_Z1kPKfPfi" }, { "tg.cubin", "_Z1kPKfPfi" },
		{ "m.cubin", "_Z3oneIfEvPKT_PS0_i" },
		{ "m.cubin", "_Z3twoPKfPfi" },
	};
	void *lib = dlopen(HAVE_CUPTI, RTLD_NOW | RTLD_LOCAL);
	correlation *ask = NULL;
	struct file f;
	size_t i;

	if (lib != NULL)
		*(void **)&ask = dlsym(lib, "cuptiGetSassToSourceCorrelation");
	if (ask == NULL)
		skip();
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		open_file(&f, row[i][0]);
		assert_true(compare_cupti(ask, &f, row[i][1]) > 50);
		close_file(&f);
	}
}
#endif
