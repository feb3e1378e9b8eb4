/*
 * source/program.h: the opcodes of a cubin's .debug_line. It is DWARF 2 to 4
 * with two extended opcodes of NVIDIA's: a row says which row of its sequence
 * called the code (DW_LNE_inlined_call).
 *
 * libdw (elfutils 0.188) reads that number as a row of the whole table, sorted
 * by address, which is another row as soon as a cubin has two functions; nor
 * does it tell whether a row's function name was said for this row or for one
 * before. So the rows are read here, from the buffer, with every length
 * checked.
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
	bool bad;		/* something did not fit */
};

/* Little-endian numbers, LEB128, strings. Past the end: 0, "" and ${bad}. */
uint64_t cursor_take(struct cursor *c, size_t bytes);
uint64_t cursor_uleb(struct cursor *c);
const char *cursor_string(struct cursor *c);

/* A unit of the table: offsets in .debug_line. */
struct unit {
	size_t begin, end;
	size_t tables;		/* directories and files, up to ${program} */
	size_t program;		/* first opcode */
	unsigned min_length, line_range, opcode_base;
	int line_base;
	uint8_t operands[256];	/* of the standard opcodes */
};

/* unit_read(p, at, u): the header at ${at}. -1: none that we understand; u->end
 * is behind it all the same, or 0 if even that is not known. */
int unit_read(const struct cubin_parts *p, size_t at, struct unit *u);

enum event { EVENT_ROW, EVENT_END, EVENT_OVER };

struct machine {
	const struct cubin_parts *parts;
	const struct unit *unit;
	struct cursor c;
	uint64_t address;	/* in ${section} */
	uint64_t file, line;
	uint64_t context;	/* row that called, 1..; 0 none */
	uint64_t name;		/* its function: offset in .debug_str */
	uint32_t section;	/* LINE_SECTION_NONE: no address was set */
	bool named;		/* context and name were said since the caller
				 * cleared this */
};

/* machine_start(m, p, u, begin, end): before the first opcode in [begin, end)
 * of unit ${u}. */
void machine_start(struct machine *m, const struct cubin_parts *p,
    const struct unit *u, size_t begin, size_t end);

/* machine_run(m): on to the next row, the end of a sequence (behind which
 * machine_reset is due) or of the opcodes. Damage ends them. */
enum event machine_run(struct machine *m);
void machine_reset(struct machine *m);

#endif
