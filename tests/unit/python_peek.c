/*
 * unit/python_peek.c: frames that are read from outside of a thread. This program plays
 * the interpreter, as unit/python_walk.c does: of 3.11 and 3.12 the objects have the fields
 * where these versions have them, of 3.13 and 3.14 where the table says. unit/site.py tests
 * the machine's Python.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python_peek.h"
#include "unit/test.h"

#define TYPE 8
#define LENGTH 16
#define STATE 32
#define BYTES 32
#define FOLLOWS 32u		/* bits of a string's state: its characters follow, */
#define ASCII 64u		/* are ASCII, */
#define WIDTH(n) ((n) << 2)	/* have so many bytes */
#define FIRST 100		/* line at which the made functions begin */

struct made {
	_Alignas(16) char byte[256];
};

/* Room for 300 characters of four bytes, or for a table. */
struct made_long {
	_Alignas(16) char byte[2048];
};

/* Where the fields are. */
static struct {
	const char *version;
	size_t thread_frame, cframe_frame, frame_code, frame_back, frame_instruction,
	    code_file, code_name, code_lines, code_first, code_instructions, ascii, wide;
} at;

extern uint64_t _PyRuntime[64];
extern char PyCode_Type, PyUnicode_Type, PyBytes_Type;
const char *Py_GetVersion(void);

uint64_t _PyRuntime[64];
char PyCode_Type, PyUnicode_Type, PyBytes_Type;

const char *
Py_GetVersion(void)
{
	return at.version;
}

static void
be_3_11(void)
{
	memset(_PyRuntime, 0, sizeof(_PyRuntime));
	at.version = "3.11.9 (main)";
	at.thread_frame = 56;
	at.cframe_frame = 8;
	at.frame_code = 32;
	at.frame_back = 48;
	at.frame_instruction = 56;
	at.code_first = 72;
	at.code_file = 112;
	at.code_name = 120;
	at.code_lines = 136;
	at.code_instructions = 184;
	at.ascii = 48;
	at.wide = 72;
}

static void
be_3_12(void)
{
	be_3_11();
	at.version = "3.12.3 (main)";
	at.cframe_frame = 0;
	at.frame_code = 0;
	at.frame_back = 8;
	at.code_first = 68;
	at.code_instructions = 192;
	at.ascii = 40;
	at.wide = 56;
}

/* The table of a version whose structures for interpreter, frame and code have so many
 * words (pycore_debug_offsets.h of that version). */
static void
tell(uint64_t version, size_t interpreter, size_t frame, size_t code)
{
	uint64_t *w = _PyRuntime;

	at.thread_frame = 72;
	at.frame_code = 0;
	at.frame_back = 8;
	at.frame_instruction = 56;
	at.code_file = 112;
	at.code_name = 136;
	at.code_lines = 144;
	at.code_first = 60;
	at.code_instructions = 200;
	at.ascii = 40;
	at.wide = 56;
	memset(_PyRuntime, 0, sizeof(_PyRuntime));
	memcpy(w, "xdebugpy", 8);
	w[1] = version;
	w += 6 + interpreter;			/* after the runtime's three words */
	w[4] = at.thread_frame;
	w += 9;
	w[1] = at.frame_back;
	w[2] = at.frame_code;
	w[3] = at.frame_instruction;
	w += frame;
	w[1] = at.code_file;
	w[3] = at.code_name;
	w[4] = at.code_lines;
	w[5] = at.code_first;
	w[9] = at.code_instructions;
	w += code;
	w[1] = TYPE;
}

static void
be_3_13(void)
{
	at.version = "3.13.1";
	tell(0x030d01f0, 13, 6, 10);
}

static void
be_3_14(void)
{
	at.version = "3.14.1";
	tell(0x030e01f0, 16, 8, 11);
}

static void
put(void *object, size_t offset, const void *value)
{
	memcpy((char *)object + offset, &value, sizeof(value));
}

/* A string of ${n} characters of ${width} bytes; ${state}: further bits. */
static void
make_string(struct made_long *s, const void *text, size_t n, unsigned width, unsigned state)
{
	state |= WIDTH(width) | FOLLOWS;
	memset(s, 0, sizeof(*s));
	put(s, TYPE, &PyUnicode_Type);
	memcpy(s->byte + LENGTH, &n, sizeof(n));
	memcpy(s->byte + STATE, &state, sizeof(state));
	memcpy(s->byte + ((state & ASCII) != 0 ? at.ascii : at.wide), text, n * width);
}

static void
make_ascii(struct made_long *s, const char *text)
{
	make_string(s, text, strlen(text), 1, ASCII);
}

static void
make_table(struct made_long *t, const void *entries, size_t n)
{
	memset(t, 0, sizeof(*t));
	put(t, TYPE, &PyBytes_Type);
	memcpy(t->byte + LENGTH, &n, sizeof(n));
	memcpy(t->byte + BYTES, entries, n);
}

/* A program of two functions: inner() was called by outer(), through a frame of the
 * interpreter's own. Each instruction of theirs has a line more than the one before. */
static struct {
	struct made thread, cframe, frame[3], code[3];
	struct made_long file, name[2], lines;
} it;

static void
make_frame(unsigned i, int instruction, const struct made *back)
{
	put(&it.frame[i], at.frame_code, &it.code[i]);
	put(&it.frame[i], at.frame_instruction, it.code[i].byte + at.code_instructions +
	    2 * instruction);
	put(&it.frame[i], at.frame_back, back);
}

static void
make_code(unsigned i, const struct made_long *name)
{
	int first = FIRST;

	put(&it.code[i], TYPE, &PyCode_Type);
	put(&it.code[i], at.code_file, &it.file);
	put(&it.code[i], at.code_name, name);
	put(&it.code[i], at.code_lines, &it.lines);
	memcpy(it.code[i].byte + at.code_first, &first, sizeof(first));
}

static void
make(void)
{
	uint8_t table[63];

	/* One-line form, a line later, of one instruction; two columns. */
	for (size_t i = 0; i < sizeof(table); i += 3) {
		table[i] = 0x80 | 11 << 3;
		table[i + 1] = table[i + 2] = 4;
	}
	memset(&it, 0, sizeof(it));
	make_ascii(&it.file, "/a/b.py");
	make_ascii(&it.name[0], "inner");
	make_ascii(&it.name[1], "outer");
	make_table(&it.lines, table, sizeof(table));
	make_code(0, &it.name[0]);
	make_code(2, &it.name[1]);
	make_frame(0, 11, &it.frame[1]);
	make_frame(1, 0, &it.frame[2]);
	make_frame(2, 16, NULL);
	if (_PyRuntime[0] == 0) {
		put(&it.thread, at.thread_frame, &it.cframe);
		put(&it.cframe, at.cframe_frame, &it.frame[0]);
	} else {
		put(&it.thread, at.thread_frame, &it.frame[0]);
	}
}

static char text[PEEK_DEPTH * PEEK_LINE + 1];

/* The text of the thread's frames; "" if there are none. */
static const char *
peeked(void)
{
	static struct peek p;
	size_t used = 0;

	text[0] = '\0';
	if (!python_peek(&it.thread, &p))
		return text;
	for (size_t i = 0; i < p.frames; i++) {
		size_t n = python_peek_text(&p.frame[i], NULL, text + used);

		assert_true(n <= PEEK_LINE);
		used += n;
	}
	text[used] = '\0';
	return text;
}

#define INNER "/a/b.py\t112\tinner\n"
#define OUTER "/a/b.py\t117\touter\n"

static void
begin(void (*be)(void))
{
	be();
	assert_true(python_peek_find());
	make();
}

static void (*const versions[])(void) = { be_3_11, be_3_12, be_3_13, be_3_14 };

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

TEST(frames_in_order)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		begin(versions[i]);
		assert_string_equal(peeked(), INNER OUTER);
	}
	/* A borrowed reference to the code, of 3.14. */
	put(&it.frame[0], at.frame_code, it.code[0].byte + 1);
	assert_string_equal(peeked(), INNER OUTER);
}

TEST(others_are_refused)
{
	be_3_13();
	at.version = "3.15.0";
	_PyRuntime[1] = 0x030f00f0;
	assert_false(python_peek_find());
	be_3_13();
	at.version = "3.10.4";
	memset(_PyRuntime, 0, sizeof(_PyRuntime));
	assert_false(python_peek_find());
	at.version = "pypy";
	assert_false(python_peek_find());
	be_3_14();
	_PyRuntime[2] = 1;		/* free-threaded */
	assert_false(python_peek_find());
}

/* Offsets that no object has. */
TEST(tables_out_of_bounds)
{
	static const uint64_t wrong[] = { 400, 1ull << 60, UINT64_MAX, UINT64_MAX - 7 };
	static const unsigned word[] = { 32, 33, 34, 40, 42, 43, 44, 51 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		for (size_t j = 0; j < sizeof(word) / sizeof(word[0]); j++) {
			be_3_14();
			_PyRuntime[word[j]] = wrong[i];
			assert_false(python_peek_find());
		}
	be_3_14();
	_PyRuntime[26] = 1 << 20;	/* the thread's frame */
	assert_false(python_peek_find());
	be_3_14();
	_PyRuntime[51] = 24;		/* the type: no object begins so */
	assert_false(python_peek_find());
}

/* The same stack has the same hash; another instruction, another one. */
TEST(stacks_have_a_hash)
{
	struct peek a, b;

	begin(be_3_12);
	assert_true(python_peek(&it.thread, &a));
	assert_true(python_peek(&it.thread, &b));
	assert_true(a.hash == b.hash);
	make_frame(2, 15, NULL);
	assert_true(python_peek(&it.thread, &b));
	assert_true(a.hash != b.hash);
}

/* --- lines --------------------------------------------------------------- */

/* The line of instruction ${i} by a table of the bytes ...; 0: the frame is left out. */
#define LINE(i, ...) line_by(i, (const uint8_t[]){ __VA_ARGS__ },	\
    sizeof((const uint8_t[]){ __VA_ARGS__ }))

static int
line_by(int instruction, const uint8_t *table, size_t n)
{
	make_table(&it.lines, table, n);
	make_frame(0, instruction, NULL);
	peeked();
	return text[0] != '\0' ? atoi(strchr(text, '\t') + 1) : 0;
}

#define ENTRY(form, instructions) (0x80 | (form) << 3 | ((instructions) - 1))

TEST(forms_of_lines)
{
	begin(be_3_11);
	/* short: a byte follows; the same line */
	assert_int_equal(LINE(0, ENTRY(0, 1), 0), FIRST);
	assert_int_equal(LINE(7, ENTRY(9, 8), 0x33), FIRST);
	/* one line: two columns follow */
	assert_int_equal(LINE(0, ENTRY(10, 1), 1, 2), FIRST);
	assert_int_equal(LINE(0, ENTRY(11, 1), 1, 2), FIRST + 1);
	assert_int_equal(LINE(0, ENTRY(12, 1), 1, 2), FIRST + 2);
	/* no column: a signed number, lowest bit the sign, six bits a byte */
	assert_int_equal(LINE(0, ENTRY(13, 1), 6), FIRST + 3);
	assert_int_equal(LINE(0, ENTRY(13, 1), 7), FIRST - 3);
	assert_int_equal(LINE(0, ENTRY(13, 1), 0x40 | 8, 2), FIRST + 68);
	/* long: the same, and the end's line and two columns */
	assert_int_equal(LINE(0, ENTRY(14, 1), 0x40 | 9, 1, 0, 1, 0x41, 1), FIRST - 36);
	/* none */
	assert_int_equal(LINE(0, ENTRY(15, 1)), 0);
}

TEST(entries_of_lines)
{
	/* 3 instructions a line later, 2 without a line, 8 in the next, 1 much earlier. */
#define TABLE ENTRY(11, 3), 0, 9, ENTRY(15, 2), ENTRY(12, 8), 4, 5,	\
	ENTRY(14, 1), 0x40 | 23, 2, 0x41, 2, 3, 4, ENTRY(1, 1), 0x11
	begin(be_3_12);
	assert_int_equal(LINE(0, TABLE), FIRST + 1);
	assert_int_equal(LINE(2, TABLE), FIRST + 1);
	assert_int_equal(LINE(3, TABLE), 0);
	assert_int_equal(LINE(4, TABLE), 0);
	assert_int_equal(LINE(5, TABLE), FIRST + 3);
	assert_int_equal(LINE(12, TABLE), FIRST + 3);
	assert_int_equal(LINE(13, TABLE), FIRST + 3 - 75);
	assert_int_equal(LINE(14, TABLE), FIRST + 3 - 75);
	assert_int_equal(LINE(15, TABLE), 0);	/* beyond the table */
	assert_int_equal(LINE(1 << 29, TABLE), 0);
	assert_int_equal(LINE(-1, TABLE), 0);	/* before the code */
}

TEST(lines_that_are_none)
{
	begin(be_3_13);
	assert_int_equal(LINE(0, ENTRY(13, 1)), FIRST);		/* cut */
	assert_int_equal(LINE(0, ENTRY(13, 1), 0x40), FIRST);
	/* line -101 and beyond every file's */
	assert_int_equal(LINE(0, ENTRY(13, 1), 0x40 | 19, 6), 0);
	assert_int_equal(LINE(0, ENTRY(13, 1), 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f), 0);
	assert_int_equal(LINE(0, ENTRY(13, 1), 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f,
	    0x7f, 0x7f), 0);
	/* bytes that begin no entry */
	assert_int_equal(LINE(8, 1, 1, 1, 1), 0);
}

static bool
is_b(const char *file, size_t len)
{
	return len == 7 && memcmp(file, "/a/b.py", 7) == 0;
}

TEST(packages_have_the_first_line)
{
	char out[PEEK_LINE];
	struct peek p;
	size_t n;

	begin(be_3_11);
	assert_true(python_peek(&it.thread, &p));
	n = python_peek_text(&p.frame[0], is_b, out);
	assert_int_equal(n, sizeof("/a/b.py\t100\tinner\n") - 1);
	assert_memory_equal(out, "/a/b.py\t100\tinner\n", n);
}

/* --- names --------------------------------------------------------------- */

/* The name of the innermost function. */
static const char *
name_of(void)
{
	char *end;

	make_frame(0, 11, NULL);
	peeked();
	if ((end = strchr(text, '\n')) == NULL)
		return "";
	*end = '\0';
	return strrchr(text, '\t') + 1;
}

TEST(names_of_all_widths)
{
	static const uint8_t one[] = { 'm', 0xe9, 't' };
	static const uint16_t two[] = { 0x4e2d, 'x', 0xd800 };
	static const uint32_t four[] = { 0x1f600, 'y', 0x110000, 0xffffffff };

	for (size_t i = 0; i < 3; i++) {		/* 3.14 has other bits */
		begin(versions[i]);
		make_string(&it.name[0], one, 3, 1, 0);
		assert_string_equal(name_of(), "m\u00e9t");
		make_string(&it.name[0], two, 3, 2, 0);
		assert_string_equal(name_of(), "\u4e2dx?");
		make_string(&it.name[0], four, 4, 4, 0);
		assert_string_equal(name_of(), "\U0001f600y??");
		make_string(&it.name[0], four, 2, 3, 0);	/* no width */
		assert_string_equal(name_of(), "?");
		make_string(&it.name[0], one, 3, 1, 0);
		it.name[0].byte[STATE] &= (char)~FOLLOWS;	/* they are elsewhere */
		assert_string_equal(name_of(), "?");
	}
	begin(be_3_14);
	make_string(&it.name[0], one, 3, 1, 0);
	assert_string_equal(name_of(), "?");
}

/* They would break the lines. */
TEST(control_characters)
{
	for (size_t i = 0; i < 3; i++) {
		begin(versions[i]);
		make_ascii(&it.name[0], "a\tb\nc\x7f");
		assert_string_equal(name_of(), "a?b?c?");
		make_string(&it.name[0], "\xe9\n", 2, 1, 0);
		assert_string_equal(name_of(), "\u00e9?");
	}
	begin(be_3_14);
	make_ascii(&it.name[0], "a\tb");
	assert_string_equal(name_of(), "?");
}

/* Of long ones the end is kept. */
TEST(long_names)
{
	static char many[301];
	static uint32_t wide[300];
	static char name[1001];

	begin(be_3_12);
	memset(many, 'a', 300);
	memcpy(many + 297, "end", 3);
	make_ascii(&it.name[0], many);
	assert_string_equal(name_of(), many + 50);
	for (size_t i = 0; i < 300; i++)
		wide[i] = i < 50 ? 'x' : 0x1f600;
	make_string(&it.name[0], wide, 300, 4, 0);
	it.file = it.name[0];
	for (size_t i = 0; i < 250; i++)
		memcpy(name + 4 * i, "\U0001f600", 4);
	assert_string_equal(name_of(), name);
	make_ascii(&it.name[0], "");
	assert_string_equal(name_of(), "");
}

/* --- memory that is not what it should be ---------------------------------- */

/* Two pages, of which the second is not mapped. */
static char *
edge(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);

	assert_true(p != MAP_FAILED);
	munmap(p + page, page);
	return p + page;
}

TEST(chains_with_a_loop_end)
{
	static struct peek p;

	begin(be_3_11);
	put(&it.frame[2], at.frame_back, &it.frame[0]);
	assert_true(python_peek(&it.thread, &p));
	assert_int_equal(p.frames, PEEK_DEPTH);
	/* of frames that do not count */
	put(&it.frame[1], at.frame_back, &it.frame[1]);
	assert_string_equal(peeked(), INNER);
	put(&it.cframe, at.cframe_frame, &it.frame[1]);
	assert_string_equal(peeked(), "");
}

/* Each pointer of the chain in turn: nothing is found, and nothing faults. */
TEST(bad_pointers)
{
	char *end = edge();
	const char *bad[] = { NULL, (char *)8, end, end - 8, it.frame[0].byte + 4,
	    (char *)(UINTPTR_MAX - 7), (char *)((uintptr_t)1 << 60) };

	for (size_t v = 0; v < VERSIONS; v++)
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			begin(versions[v]);
			put(&it.thread, at.thread_frame, bad[i]);
			assert_string_equal(peeked(), "");
			begin(versions[v]);
			put(&it.frame[0], at.frame_code, bad[i]);
			assert_null(strstr(peeked(), "inner"));
			begin(versions[v]);
			put(&it.frame[0], at.frame_back, bad[i]);
			assert_string_equal(peeked(), bad[i] == NULL ? INNER : "");
			begin(versions[v]);
			put(&it.code[0], at.code_file, bad[i]);
			assert_string_equal(peeked(), OUTER);
			begin(versions[v]);
			put(&it.code[0], at.code_name, bad[i]);
			assert_string_equal(peeked(), OUTER);
			begin(versions[v]);
			put(&it.code[0], at.code_lines, bad[i]);
			assert_string_equal(peeked(), OUTER);
			begin(versions[v]);
			put(&it.frame[0], at.frame_instruction, bad[i]);
			assert_string_equal(peeked(), OUTER);
		}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		static struct peek p;

		if (bad[i] != it.frame[0].byte + 4)
			assert_false(python_peek(bad[i], &p));
	}
}

/* An object at an address that none has, although it is whole. */
TEST(unaligned_objects)
{
	_Alignas(16) static char moved[sizeof(struct made_long) + 4];

	begin(be_3_12);
	memcpy(moved + 4, &it.frame[0], sizeof(it.frame[0]));
	put(&it.cframe, at.cframe_frame, moved + 4);
	assert_string_equal(peeked(), "");
	begin(be_3_12);
	memcpy(moved + 4, &it.frame[2], sizeof(it.frame[2]));
	put(&it.frame[1], at.frame_back, moved + 4);
	assert_string_equal(peeked(), "");
	begin(be_3_12);
	memcpy(moved + 4, &it.name[0], sizeof(it.name[0]));
	put(&it.code[0], at.code_name, moved + 4);
	assert_string_equal(peeked(), OUTER);
	begin(be_3_12);
	memcpy(moved + 4, &it.lines, sizeof(it.lines));
	put(&it.code[0], at.code_lines, moved + 4);
	assert_string_equal(peeked(), OUTER);
}

TEST(wrong_types)
{
	for (size_t v = 0; v < VERSIONS; v++) {
		begin(versions[v]);
		put(&it.code[0], TYPE, &PyBytes_Type);
		assert_string_equal(peeked(), OUTER);
		begin(versions[v]);
		put(&it.name[0], TYPE, &PyBytes_Type);
		assert_string_equal(peeked(), OUTER);
		begin(versions[v]);
		put(&it.file, TYPE, &PyCode_Type);
		assert_string_equal(peeked(), "");
		begin(versions[v]);
		put(&it.lines, TYPE, &PyUnicode_Type);
		assert_string_equal(peeked(), "");
	}
}

TEST(lengths_that_are_wrong)
{
	static const uint64_t length[] = { 1ull << 60, UINT64_MAX, UINT32_MAX, 1 << 24 };

	for (size_t v = 0; v < VERSIONS; v++)
		for (size_t i = 0; i < sizeof(length) / sizeof(length[0]); i++) {
			begin(versions[v]);
			memcpy(it.lines.byte + LENGTH, &length[i], sizeof(length[i]));
			peeked();
			begin(versions[v]);
			memcpy(it.name[0].byte + LENGTH, &length[i], sizeof(length[i]));
			assert_lacks(peeked(), "inner");
			assert_has(text, OUTER);
		}
}

/* An object whose end is not mapped is not read in part. */
TEST(objects_at_the_end_of_memory)
{
	char *end = edge();

	begin(be_3_11);
	memcpy(end - 64, &it.name[0], 64);
	put(&it.code[0], at.code_name, end - 64);
	assert_string_equal(peeked(), INNER OUTER);
	memcpy(end - 48, &it.name[0], 48);	/* all but its characters */
	put(&it.code[0], at.code_name, end - 48);
	assert_string_equal(peeked(), OUTER);
	begin(be_3_11);
	memcpy(end - 32, &it.lines, 32);
	put(&it.code[0], at.code_lines, end - 32);
	assert_string_equal(peeked(), OUTER);
}
