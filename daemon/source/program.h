/*
 * source/program.h: runs the opcodes of a cubin's .debug_line. It is DWARF 2 to
 * 4 with two extended opcodes of NVIDIA's: DW_LNE_inlined_call gives the row of
 * its sequence that called the code. libdw (elfutils 0.188) takes that number
 * as a row of the whole table, sorted by address, which is another row as soon
 * as a cubin has two functions; nor does it report whether a row's function
 * name belongs to this row or to an earlier one. So the rows are read here,
 * from the buffer, with every length checked.
 */
#ifndef CADV_SOURCE_PROGRAM_H
#define CADV_SOURCE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/parts.h"

#define LINE_NAME_NONE UINT32_MAX
#define LINE_SECTION_NONE UINT32_MAX

struct cursor {
	const uint8_t *p, *end;
	bool bad;		/* a read went past the end */
};

/* Little-endian numbers, LEB128, strings. Past the end: 0, "" and ${bad}. */
uint64_t cursor_take(struct cursor *c, size_t bytes);
uint64_t cursor_uleb(struct cursor *c);
const char *cursor_string(struct cursor *c);

/* A line unit of the table: offsets in .debug_line. */
struct line_unit {
	size_t begin, end;
	size_t tables;		/* directories and files, up to ${program} */
	size_t program;		/* first opcode */
	unsigned min_length, line_range, opcode_base;
	int line_base;
	uint8_t operands[256];	/* of the standard opcodes */
};

/* line_unit_read(p, at, u): the header at ${at}. -1: not a supported one;
 * u->end is its end all the same, or 0 if even that is unknown. */
int line_unit_read(const struct cubin_parts *p, size_t at, struct line_unit *u);

enum event { EVENT_ROW, EVENT_END, EVENT_OVER };

struct machine {
	const struct cubin_parts *parts;
	const struct line_unit *unit;
	struct cursor c;
	uint64_t address;	/* in ${section} */
	uint64_t file, line;
	uint64_t context;	/* row that called, 1..; 0 none */
	uint64_t name;		/* its function: offset in .debug_str */
	uint32_t section;	/* LINE_SECTION_NONE: no address set yet */
	bool named;		/* context and name were set since the caller
				 * cleared this */
};

/* machine_start(m, p, u, begin, end): start before the first opcode in [begin,
 * end) of line unit ${u}. */
void machine_start(struct machine *m, const struct cubin_parts *p,
    const struct line_unit *u, size_t begin, size_t end);

/* machine_run(m): advance to the next row, the end of a sequence (call
 * machine_reset then) or of the opcodes. Damage ends the opcodes. */
enum event machine_run(struct machine *m);
void machine_reset(struct machine *m);

#endif
