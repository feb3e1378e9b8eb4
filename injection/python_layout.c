#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "python_layout.h"

/*
 * _PyRuntime begins with a table for debuggers: a cookie, and then 64-bit words that
 * give the sizes of the interpreter's structures and the offsets of their fields
 * (CPython's pycore_debug_offsets.h). The order of the words depends on the version.
 */
static const char cookie[8] = "xdebugpy";

enum { WORD_COOKIE, WORD_VERSION, WORD_FREE_THREADED };

/* For one version, the indices of the words that are used here. */
struct words {
	uint32_t version;		/* PY_VERSION_HEX >> 16 */
	uint8_t thread_frame, frame_back, frame_code, frame_instruction,
	    code_file, code_name, code_lines, code_first, code_instructions, type;
};

static const struct words words_of[] = {
	{ 0x030d, 23, 29, 30, 31, 35, 37, 38, 39, 43, 45 },
	{ 0x030e, 26, 32, 33, 34, 40, 42, 43, 44, 48, 51 },
};

/* Of PyASCIIObject and PyCompactUnicodeObject since 3.12 (unicodeobject.h). 3.14 has moved
 * the bits that say how wide characters are. */
#define ASCII 40
#define WIDE 56
#define WIDE_LAST 0x030d

int
python_minor(void)
{
	const char *(*get)(void);
	const char *text;

	*(void **)&get = dlsym(RTLD_DEFAULT, "Py_GetVersion");
	if (get == NULL || (text = get()) == NULL ||
	    strncmp(text, "3.", 2) != 0)
		return -1;
	return atoi(text + 2);
}

bool
python_layout_told(struct python_layout *l)
{
	const uint64_t *word = dlsym(RTLD_DEFAULT, "_PyRuntime");
	const struct words *w = words_of;

	if (word == NULL || memcmp(word, cookie, sizeof(cookie)) != 0 ||
	    word[WORD_FREE_THREADED] != 0)
		return false;
	while (w->version != word[WORD_VERSION] >> 16)
		if (++w == words_of + sizeof(words_of) / sizeof(words_of[0]))
			return false;
	*l = (struct python_layout){ .thread_frame = word[w->thread_frame],
	    .frame_back = word[w->frame_back],
	    .frame_code = word[w->frame_code],
	    .frame_instruction = word[w->frame_instruction],
	    .code_file = word[w->code_file],
	    .code_name = word[w->code_name],
	    .code_lines = word[w->code_lines], .code_first = word[w->code_first],
	    .code_instructions = word[w->code_instructions],
	    .type = word[w->type], .ascii = ASCII,
	    .wide = w->version <= WIDE_LAST ? WIDE : 0 };
	return l->frame_instruction != 0;
}

size_t
python_put(char *out, uint32_t c)
{

	if (c < 0x20 || c == 0x7f || (c >= 0xd800 && c < 0xe000))
		c = '?';
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}
