/*
 * source/parts.h: what cubin.c found, for the line-table readers (program.c,
 * lines.c).
 */
#ifndef CADV_SOURCE_PARTS_H
#define CADV_SOURCE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/cubin.h"

#define MAX_RELOCATIONS (1u << 18)
#define MAX_SEQUENCES (1u << 18)

/* An address in .debug_line, and its target. */
struct relocation {
	uint64_t at;		/* offset in .debug_line */
	uint64_t address;	/* in the section */
	uint32_t section;
	bool addend;		/* ${address} is complete; else the value in the
				 * file is added to it (SHT_REL) */
};

/* A sequence of rows: its part of .debug_line. */
struct row_sequence {
	uint32_t section;	/* of the code it describes */
	size_t unit;		/* offset of its line unit */
	size_t begin, end;	/* its opcodes */
};

/* A section's bytes in the buffer. */
struct section {
	const uint8_t *p;
	size_t size;
	uint32_t link, info, type;
	bool code;
};

struct cubin_parts {
	struct section *section;	/* by index */
	size_t sections;
	struct section symtab, strtab;	/* strtab's last byte is a NUL */
	const uint8_t *line;	/* .debug_line */
	size_t line_size;
	const char *string;	/* .debug_str; its last byte is a NUL */
	size_t string_size;
	struct relocation *relocation;	/* by ${at} */
	size_t relocations;
	struct row_sequence *sequence;	/* by section, then place */
	size_t sequences;
	uint32_t only;		/* the section of code, if there is only one */
	uint8_t *launching;	/* by section: does its code launch kernels?
				 * NULL: none does */
};

/* lines_index(p): find the sequences of p->line. -1 without memory; damaged
 * ones are left out. */
int lines_index(struct cubin_parts *p);

/* launches_index(p): find the sections whose code launches kernels. -1 without
 * memory. */
int launches_index(struct cubin_parts *p);

#endif
