/*
 * unit/python_walk.c: the frames of an interpreter that publishes its own
 * layout. This program plays the interpreter: it defines the symbols that
 * injection/python_walk.c looks up, and objects whose fields are where its
 * table says. unit/site.py tests the machine's Python.
 */
#include <stdlib.h>

#include "python_walk.h"
#include "unit/test.h"

/* Offsets in the made objects; arbitrary, because the table gives them. */
#define THREAD_FRAME 72
#define FRAME_CODE 0
#define FRAME_BACK 8
#define FRAME_INSTRUCTION 56
#define CODE_FILE 112
#define CODE_NAME 136
#define CODE_INSTRUCTIONS 200
#define TYPE 8

struct made {
	_Alignas(16) char byte[256];
};

struct string {
	const void *count, *type;
	const char *text;
};

extern uint64_t _PyRuntime[64];
extern char PyCode_Type, PyFrame_Type, PyUnicode_Type;
const char *Py_GetVersion(void);
int PyFrame_GetLineNumber(const void *frame);
int PyCode_Addr2Line(const void *code, int byte);
ptrdiff_t PyUnicode_GetLength(const struct string *s);
uint32_t PyUnicode_ReadChar(const struct string *s, ptrdiff_t i);

uint64_t _PyRuntime[64];
char PyCode_Type, PyFrame_Type, PyUnicode_Type;

const char *
Py_GetVersion(void)
{
	return _PyRuntime[1] >> 16 == 0x030d ? "3.13.1" : "3.14.1";
}

int
PyFrame_GetLineNumber(const void *frame)
{
	(void)frame;
	return 0;
}

/* The made code has one instruction of one byte for each line. */
int
PyCode_Addr2Line(const void *code, int byte)
{
	(void)code;
	return byte;
}

ptrdiff_t
PyUnicode_GetLength(const struct string *s)
{
	return (ptrdiff_t)strlen(s->text);
}

uint32_t
PyUnicode_ReadChar(const struct string *s, ptrdiff_t i)
{
	return (uint32_t)(unsigned char)s->text[i];
}

/* The table of a version whose structures for interpreter, frame and code have
 * so many words (pycore_debug_offsets.h of that version). */
static void
tell(uint64_t version, size_t interpreter, size_t frame, size_t code)
{
	uint64_t *w = _PyRuntime;

	memset(_PyRuntime, 0, sizeof(_PyRuntime));
	memcpy(w, "xdebugpy", 8);
	w[1] = version;
	w += 6 + interpreter;			/* after the runtime's three words */
	w[4] = THREAD_FRAME;
	w += 9;
	w[1] = FRAME_BACK;
	w[2] = FRAME_CODE;
	w[3] = FRAME_INSTRUCTION;
	w += frame;
	w[1] = CODE_FILE;
	w[3] = CODE_NAME;
	w[9] = CODE_INSTRUCTIONS;
	w += code;
	w[1] = TYPE;
}

static void
put(struct made *m, size_t offset, const void *value)
{
	memcpy(m->byte + offset, &value, sizeof(value));
}

/* A frame of ${code} at ${line}; ${tag} is stored in the lowest bits of the
 * code's address. */
static void
make_frame(struct made *frame, const struct made *code, int line, unsigned tag,
    const struct made *back)
{
	put(frame, FRAME_CODE, code->byte + tag);
	put(frame, FRAME_INSTRUCTION, code->byte + CODE_INSTRUCTIONS + line);
	put(frame, FRAME_BACK, back);
}

static void
make_code(struct made *code, const struct string *file, const struct string *name)
{
	put(code, TYPE, &PyCode_Type);
	put(code, CODE_FILE, file);
	put(code, CODE_NAME, name);
}

/* inner() was called by outer(), through a frame of the interpreter's own. */
static void
assert_frames(unsigned tag)
{
	struct string file = { NULL, &PyUnicode_Type, "/a/b.py" },
	    inner = { NULL, &PyUnicode_Type, "inner" },
	    outer = { NULL, &PyUnicode_Type, "outer" };
	struct made thread = { { 0 } }, frame[3] = { { { 0 } } },
	    code[3] = { { { 0 } } };
	char out[8192];
	size_t n;

	make_code(&code[0], &file, &inner);
	make_code(&code[2], &file, &outer);
	make_frame(&frame[0], &code[0], 12, tag, &frame[1]);
	make_frame(&frame[1], &code[1], 1, tag, &frame[2]);
	make_frame(&frame[2], &code[2], 17, tag, NULL);
	put(&thread, THREAD_FRAME, &frame[0]);
	n = python_walk(&thread, out, sizeof(out) - 1);
	out[n] = '\0';
	assert_string_equal(out, "/a/b.py\t12\tinner\n/a/b.py\t17\touter\n");
}

TEST(version_3_13)
{
	tell(0x030d01f0, 13, 6, 10);
	assert_true(python_walk_find());
	assert_frames(0);
}

TEST(version_3_14)
{
	tell(0x030e01f0, 16, 8, 11);
	assert_true(python_walk_find());
	assert_frames(0);
	assert_frames(1);		/* a borrowed reference to the code */
}

TEST(others_are_refused)
{
	tell(0x030f01f0, 16, 8, 11);
	assert_false(python_walk_find());
	tell(0x030e01f0, 16, 8, 11);
	_PyRuntime[2] = 1;		/* free-threaded */
	assert_false(python_walk_find());
	tell(0x030e01f0, 16, 8, 11);
	((char *)_PyRuntime)[0] = 'X';
	assert_false(python_walk_find());
	tell(0x030e01f0, 16, 8, 11);
	_PyRuntime[33] = 1 << 20;	/* a frame of a megabyte */
	assert_false(python_walk_find());
}
