#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "python_layout.h"
#include "python_peek.h"

#define OBJECT_MAX 320		/* bytes read of a frame or code object */
#define STRING_MAX 250		/* characters of a name; each may take four bytes */
#define LINES_MAX 16384		/* bytes of a table of lines */
#define LENGTH 16		/* of a string's and of a bytes object's length */
#define STATE 32		/* of the bits that say how wide a string's characters are */
#define BYTES 32		/* of the contents of a bytes object */

static struct {
	struct python_layout at;
	size_t frame_size, code_size;	/* bytes to read of them */
	const void *code_type, *string_type, *bytes_type;
	pid_t pid;
} peek;

/* For 3.11 and 3.12: of PyThreadState, _PyCFrame, _PyInterpreterFrame, PyCodeObject and the
 * strings (cpython/pystate.h, internal/pycore_frame.h, cpython/code.h, unicodeobject.h). */
static const struct python_layout known[] = {
	[11] = { .thread_frame = 56, .by_cframe = true, .cframe_frame = 8,
	    .frame_back = 48, .frame_code = 32, .frame_instruction = 56,
	    .code_file = 112, .code_name = 120, .code_lines = 136, .code_first = 72,
	    .code_instructions = 184, .type = 8, .ascii = 48, .wide = 72 },
	[12] = { .thread_frame = 56, .by_cframe = true, .cframe_frame = 0,
	    .frame_back = 8, .frame_code = 0, .frame_instruction = 56,
	    .code_file = 112, .code_name = 120, .code_lines = 136, .code_first = 68,
	    .code_instructions = 192, .type = 8, .ascii = 40, .wide = 56 },
};

/* How many bytes to read of an object to have the words at these ${n} offsets; 0 if one of
 * them is beyond OBJECT_MAX: then the offsets are invalid. */
static size_t
span_of(const uint64_t *at, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = at[i] > most ? at[i] : most;
	return most <= OBJECT_MAX - 8 ? (size_t)most + 8 : 0;
}

bool
python_peek_find(void)
{
	struct python_layout *l = &peek.at;
	int minor = python_minor();

	if (minor == 11 || minor == 12)
		*l = known[minor];
	else if (!python_layout_told(l))
		return false;
	peek.frame_size = span_of((uint64_t[]){ l->frame_back, l->frame_code,
	    l->frame_instruction }, 3);
	/* The instructions are part of the code object. */
	peek.code_size = span_of((uint64_t[]){ l->code_file, l->code_name, l->code_lines,
	    l->code_first, l->type }, 5);
	peek.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	peek.string_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
	peek.bytes_type = dlsym(RTLD_DEFAULT, "PyBytes_Type");
	peek.pid = getpid();
	return sizeof(void *) == 8 && peek.frame_size > 0 && peek.code_size > 0 &&
	    l->thread_frame < 65536 && l->type <= LENGTH - 8 && peek.code_type != NULL &&
	    peek.string_type != NULL && peek.bytes_type != NULL;
}

/* Reads ${n} bytes at ${from}, and ${n2} at ${from2} (NULL: none), with one call. */
static bool
fetch(void *to, const void *from, size_t n, void *to2, const void *from2, size_t n2)
{
	struct iovec out[2] = { { to, n }, { to2, n2 } };
	struct iovec in[2] = { { (void *)(uintptr_t)from, n },
	    { (void *)(uintptr_t)from2, n2 } };
	size_t pieces = from2 != NULL ? 2 : 1;

	if (from == NULL)
		return false;
	return process_vm_readv(peek.pid, out, pieces, in, pieces, 0) ==
	    (ssize_t)(n + (pieces == 2 ? n2 : 0));
}

static const void *
pointer(const char *object, uint64_t offset)
{
	const void *p;

	memcpy(&p, object + offset, sizeof(p));
	return p;
}

/* The address ${n} bytes behind ${p}, which may point anywhere. */
static const void *
behind(const void *p, uint64_t n)
{

	return (const void *)((uintptr_t)p + n);
}

static bool
is_object(const void *p)
{

	return p != NULL && ((uintptr_t)p & 7) == 0;
}

/* The innermost frame of ${thread}; NULL: none. */
static const void *
innermost(const void *thread)
{
	const void *p, *frame;

	if (!fetch(&p, behind(thread, peek.at.thread_frame), sizeof(p), NULL, NULL,
	    0))
		return NULL;
	if (!peek.at.by_cframe)
		return p;
	return is_object(p) && fetch(&frame, behind(p, peek.at.cframe_frame),
	    sizeof(frame), NULL, NULL, 0) ? frame : NULL;
}

/* Adds the frame ${frame}, whose code object at ${address} is ${code}. */
static void
add(struct peek *out, const char *frame, const char *code, const void *address)
{
	uintptr_t begin = (uintptr_t)address + peek.at.code_instructions;
	uintptr_t at = (uintptr_t)pointer(frame, peek.at.frame_instruction);
	struct peek_frame *f = &out->frame[out->frames];
	uint64_t both[2] = { (uintptr_t)address, at };

	if (pointer(code, peek.at.type) != peek.code_type || at < begin ||
	    (at - begin) / 2 > INT32_MAX)
		return;
	*f = (struct peek_frame){ .file = pointer(code, peek.at.code_file),
	    .name = pointer(code, peek.at.code_name),
	    .lines = pointer(code, peek.at.code_lines),
	    .at = (uint32_t)((at - begin) / 2) };
	memcpy(&f->first, code + peek.at.code_first, sizeof(f->first));
	out->hash = XXH64(both, sizeof(both), out->hash);
	out->frames++;
}

bool
python_peek(const void *thread, struct peek *out)
{
	char frame[2][OBJECT_MAX], code[OBJECT_MAX];
	const void *next = innermost(thread), *of;
	unsigned now = 0, depth;

	out->hash = out->frames = 0;
	if (!is_object(next) || !fetch(frame[0], next, peek.frame_size, NULL, NULL, 0))
		return false;
	/* The interpreter's own frames are among them, which do not count. */
	for (depth = 0; depth < 4 * PEEK_DEPTH && out->frames < PEEK_DEPTH; depth++) {
		/* CPython 3.14 marks in the lowest bits whether the frame holds a
		 * reference to it. */
		of = (const void *)((uintptr_t)pointer(frame[now], peek.at.frame_code) &
		    ~(uintptr_t)7);
		next = pointer(frame[now], peek.at.frame_back);
		if (next != NULL && !is_object(next))
			return false;
		if (!fetch(code, of, peek.code_size, frame[!now], next, peek.frame_size))
			return false;
		add(out, frame[now], code, of);
		if (next == NULL)
			break;
		now = !now;
	}
	return out->frames > 0;
}

/* --- their text -------------------------------------------------------- */

/* Writes ${n} characters of ${width} bytes each. */
static size_t
put_wide(char *out, const void *from, size_t n, unsigned width)
{
	union { uint8_t one[STRING_MAX]; uint16_t two[STRING_MAX]; uint32_t four[STRING_MAX]; }
	    c;
	size_t used = 0;

	if (!fetch(&c, from, n * width, NULL, NULL, 0))
		return 0;
	for (size_t i = 0; i < n; i++)
		used += python_put(out + used, width == 1 ? c.one[i] : width == 2 ?
		    c.two[i] : c.four[i] < 0x110000 ? c.four[i] : '?');
	return used;
}

/* Whether the ${n} bytes of ${text} are printable ASCII, and the last one ends a string. */
static bool
is_ascii(const char *text, size_t n)
{

	for (size_t i = 0; i + 1 < n; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	return text[n - 1] == '\0';
}

/* Writes the string object ${s}, 4 * STRING_MAX bytes at most: of a long one the end, which
 * tells more than the beginning of a path. 0: it is none, or cannot be read. */
static size_t
put_string(char *out, const void *s)
{
	char head[STATE + 4], text[STRING_MAX + 1];
	uint64_t length;
	uint32_t state, width;
	size_t n, skip;

	if (!is_object(s) || !fetch(head, s, sizeof(head), NULL, NULL, 0) ||
	    pointer(head, peek.at.type) != peek.string_type)
		return 0;
	memcpy(&length, head + LENGTH, sizeof(length));
	memcpy(&state, head + STATE, sizeof(state));
	if (length == 0 || length > UINT32_MAX)
		return 0;
	n = length < STRING_MAX ? length : STRING_MAX;
	skip = length - n;
	if (fetch(text, behind(s, peek.at.ascii + skip), n + 1, NULL, NULL, 0) &&
	    is_ascii(text, n + 1)) {
		memcpy(out, text, n);
		return n;
	}
	/* Two bits for interning, three for the width of a character, one for a string
	 * whose characters follow, one for ASCII: here with control characters. */
	width = state >> 2 & 7;
	if (peek.at.wide != 0 && (state >> 5 & 3) == 3)
		return put_wide(out, behind(s, peek.at.ascii + skip), n, 1);
	if (peek.at.wide == 0 || (state >> 5 & 1) == 0 || (width != 1 && width != 2 &&
	    width != 4)) {
		out[0] = '?';
		return 1;
	}
	return put_wide(out, behind(s, peek.at.wide + skip * width), n, width);
}

/* A number of the table of lines: six bits a byte, the lowest first; the seventh says that
 * more follow. Moves *${p} behind it. */
static int64_t
number(const uint8_t **p, const uint8_t *end)
{
	uint64_t n = 0;
	unsigned shift = 0;

	for (; *p < end && shift < 36; shift += 6) {
		n |= (uint64_t)(**p & 63) << shift;
		if ((*(*p)++ & 64) == 0)
			break;
	}
	return n & 1 ? -(int64_t)(n >> 1) : (int64_t)(n >> 1);
}

/*
 * The line of instruction ${at} by the table of ${n} bytes, whose first is ${line}
 * (CPython's Objects/locations.md, 3.11 to 3.14); 0: it has none. The first byte of each
 * entry has the highest bit set, the form in four bits and one less than how many
 * instructions it is of in three; the others do not have the highest bit.
 */
static int
line_in(const uint8_t *p, size_t n, int line, uint32_t at)
{
	const uint8_t *end = p + n;
	int64_t now = line;
	uint32_t done = 0;

	while (p < end) {
		unsigned form = *p >> 3 & 15;

		done += (*p++ & 7u) + 1;
		if (form == 13 || form == 14)
			now += number(&p, end);
		else if (form >= 10 && form <= 12)
			now += form - 10;
		if (at < done)
			return form != 15 && now > 0 && now < INT32_MAX ? (int)now : 0;
		while (p < end && (*p & 0x80) == 0)
			p++;
	}
	return 0;
}

static int
line_of(const struct peek_frame *f)
{
	static uint8_t table[LINES_MAX];
	char head[BYTES];
	uint64_t n;

	if (!is_object(f->lines) || !fetch(head, f->lines, sizeof(head), NULL, NULL, 0) ||
	    pointer(head, peek.at.type) != peek.bytes_type)
		return 0;
	memcpy(&n, head + LENGTH, sizeof(n));
	n = n < LINES_MAX ? n : LINES_MAX;
	if (n == 0 || !fetch(table, behind(f->lines, BYTES), n, NULL, NULL, 0))
		return 0;
	return line_in(table, n, f->first, f->at);
}

size_t
python_peek_text(const struct peek_frame *f, bool (*package)(const char *file, size_t len),
    char *out)
{
	size_t used = put_string(out, f->file), n;
	int line = line_of(f);

	if (used == 0 || line <= 0)
		return 0;
	if (package != NULL && package(out, used) && f->first > 0)
		line = f->first;
	used += (size_t)snprintf(out + used, 16, "\t%d\t", line);
	/* A name that fills its room would leave none for the end. */
	if ((n = put_string(out + used, f->name)) == 0)
		return 0;
	out[used + n] = '\n';
	return used + n + 1;
}
