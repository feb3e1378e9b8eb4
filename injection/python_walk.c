#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "python_layout.h"
#include "python_walk.h"

#define DEPTH 64
#define STRING_MAX 250		/* characters of a name; each may take four bytes */
#define ROOM 2048		/* bytes that one frame may need */
#define OBJECT_MAX 512		/* bytes read of a frame or code object */

typedef int frame_line_fn(const void *frame);
typedef int code_line_fn(const void *code, int byte);
typedef ptrdiff_t length_fn(const void *string);
typedef uint32_t char_fn(const void *string, ptrdiff_t index);

static struct {
	struct python_layout at;
	size_t frame_size, code_size;	/* bytes to read of a frame, and of a code
					 * object */
	const void *code_type, *frame_type, *string_type;
	frame_line_fn *frame_line;
	code_line_fn *code_line;
	length_fn *length;
	char_fn *character;
	pid_t pid;
} walk;

/* How many bytes to read of an object, to have the fields at these offsets and its
 * type; 0 if that is more than OBJECT_MAX: then the offsets are invalid. */
static size_t
span_of(const struct python_layout *l, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t most = l->type;

	most = a > most ? a : most;
	most = b > most ? b : most;
	most = c > most ? c : most;
	return most <= OBJECT_MAX - 8 ? (size_t)most + 8 : 0;
}

bool
python_walk_find(void)
{
	/* For 3.9 and 3.10: of PyThreadState, PyFrameObject and PyCodeObject. */
	static const struct python_layout old = { .thread_frame = 24,
	    .frame_back = 24, .frame_code = 32, .code_file = 104,
	    .code_name = 112, .type = 8 };
	struct python_layout *l;
	int minor = python_minor();

	if (minor == 9 || minor == 10)
		walk.at = old;
	else if (!python_layout_told(&walk.at))
		return false;
	l = &walk.at;
	walk.frame_size = span_of(l, l->frame_back, l->frame_code,
	    l->frame_instruction);
	walk.code_size = span_of(l, l->code_file, l->code_name, 0);
	walk.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	walk.frame_type = dlsym(RTLD_DEFAULT, "PyFrame_Type");
	walk.string_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
	*(void **)&walk.frame_line = dlsym(RTLD_DEFAULT,
	    "PyFrame_GetLineNumber");
	*(void **)&walk.code_line = dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
	*(void **)&walk.length = dlsym(RTLD_DEFAULT, "PyUnicode_GetLength");
	*(void **)&walk.character = dlsym(RTLD_DEFAULT, "PyUnicode_ReadChar");
	walk.pid = getpid();
	return sizeof(void *) == 8 && walk.frame_size > 0 &&
	    walk.code_size > 0 && l->thread_frame < 65536 && walk.code_type != NULL &&
	    walk.frame_type != NULL && walk.string_type != NULL &&
	    walk.frame_line != NULL && walk.code_line != NULL &&
	    walk.length != NULL && walk.character != NULL;
}

/* An object and its first bytes. */
struct object {
	const char *at;
	char byte[OBJECT_MAX];
};

/* Reads ${n} pieces of this process's memory. False if one of them is not mapped. */
static bool
fetch(struct iovec *to, struct iovec *from, size_t n)
{
	size_t i, want = 0;

	for (i = 0; i < n; i++) {
		if (from[i].iov_base == NULL ||
		    ((uintptr_t)from[i].iov_base & 7) != 0)
			return false;
		want += from[i].iov_len = to[i].iov_len;
	}
	return process_vm_readv(walk.pid, to, n, from, n, 0) ==
	    (ssize_t)want;
}

static bool
read_object(struct object *o, const void *at, size_t size)
{
	struct iovec to = { o->byte, size };
	struct iovec from = { (void *)(uintptr_t)at, size };

	o->at = at;
	return fetch(&to, &from, 1);
}

static const void *
field(const struct object *o, uint64_t offset)
{
	const void *value;

	memcpy(&value, o->byte + offset, sizeof(value));
	return value;
}

/* Whether both objects are strings. */
static bool
are_strings(const void *a, const void *b)
{
	const void *type[2] = { NULL, NULL };
	struct iovec to[2] = { { &type[0], sizeof(void *) },
	    { &type[1], sizeof(void *) } };
	struct iovec from[2];

	if (a == NULL || b == NULL)
		return false;
	from[0].iov_base = (char *)(uintptr_t)a + walk.at.type;
	from[1].iov_base = (char *)(uintptr_t)b + walk.at.type;
	return fetch(to, from, 2) && type[0] == walk.string_type &&
	    type[1] == walk.string_type;
}

/* Writes the string object ${s}. Returns the bytes written; 0 if there is no room. */
static size_t
put_string(char *out, size_t room, const void *s)
{
	ptrdiff_t n = walk.length(s), i;
	size_t used = 0;

	if (n <= 0 || (size_t)(n < STRING_MAX ? n : STRING_MAX) * 4 > room)
		return 0;
	/* The end of a path tells more than its beginning. */
	for (i = n > STRING_MAX ? n - STRING_MAX : 0; i < n; i++)
		used += python_put(out + used, walk.character(s, i));
	return used;
}

/* The address of ${frame}'s code object. CPython 3.14 marks in the lowest bits whether
 * the frame holds a reference to it. */
static const void *
code_of(const struct object *frame)
{

	return (const void *)((uintptr_t)field(frame, walk.at.frame_code) &
	    ~(uintptr_t)7);
}

/* The current line of ${frame}, a frame of ${code}; 0: unknown. */
static int
line_of(const struct object *frame, const struct object *code)
{
	const char *at, *begin;

	if (walk.at.frame_instruction == 0)
		return field(frame, walk.at.type) == walk.frame_type ?
		    walk.frame_line(frame->at) : 0;
	at = field(frame, walk.at.frame_instruction);
	begin = code->at + walk.at.code_instructions;
	if (at < begin || at - begin > INT32_MAX)
		return 0;
	return walk.code_line(code->at, (int)(at - begin));
}

static size_t
put_frame(char *out, size_t room, const struct object *frame,
    const struct object *code)
{
	const void *file = field(code, walk.at.code_file);
	const void *name = field(code, walk.at.code_name);
	int line = line_of(frame, code);
	size_t used, n;

	if (line <= 0 || !are_strings(file, name) ||
	    (used = put_string(out, room, file)) == 0 || room - used < 32)
		return 0;
	used += (size_t)snprintf(out + used, 16, "\t%d\t", line);
	if ((n = put_string(out + used, room - used - 1, name)) == 0)
		return 0;
	out[used + n] = '\n';
	return used + n + 1;
}

size_t
python_walk(const void *thread, char *out, size_t size)
{
	struct object frame, code;
	const void *next;
	size_t used = 0, depth;

	memcpy(&next, (const char *)thread + walk.at.thread_frame,
	    sizeof(next));
	/* Stops when the next frame might not fit. */
	for (depth = 0; depth < DEPTH && size - used >= ROOM &&
	    read_object(&frame, next, walk.frame_size); depth++) {
		/* The interpreter's own frames have no code object. */
		if (read_object(&code, code_of(&frame), walk.code_size) &&
		    field(&code, walk.at.type) == walk.code_type)
			used += put_frame(out + used, size - used, &frame,
			    &code);
		next = field(&frame, walk.at.frame_back);
	}
	return used;
}
