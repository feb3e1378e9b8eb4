/*
 * python_layout.h: where the fields of CPython's thread states, frames and code objects
 * are, by version, for those that read them (python_walk.h, python_peek.h).
 */
#ifndef CADV_PYTHON_LAYOUT_H
#define CADV_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets of fields, in bytes from the start of their object. */
struct python_layout {
	uint64_t thread_frame;		/* the innermost frame; or, with ${by_cframe}, what
					 * points to it: */
	bool by_cframe;			/* as in 3.11 and 3.12 */
	uint64_t cframe_frame;
	uint64_t frame_back, frame_code;
	uint64_t frame_instruction;	/* 0: call PyFrame_GetLineNumber */
	uint64_t code_file, code_name, code_instructions;
	uint64_t code_lines, code_first;	/* the table of lines, an object of bytes, and
						 * the line that it begins with; 0: not used */
	uint64_t type;			/* of any object */
	uint64_t ascii;			/* the characters of a string of ASCII; */
	uint64_t wide;			/* those of another; 0: unknown */
};

/* python_minor(): the N of 3.N, with which sys.version begins; -1 if it is not known. */
int python_minor(void);

/* python_layout_told(l): the layout that the interpreter's own table for debuggers gives,
 * in 3.13 and 3.14. False without one, and of a free-threaded build, whose objects have
 * another header. */
bool python_layout_told(struct python_layout *l);

/* python_put(out, c): write the character ${c} in UTF-8; returns how many bytes, four at
 * most. Control characters, which would break the format of lines, and surrogates become
 * question marks. */
size_t python_put(char *out, uint32_t c);

#endif
