/*
 * capture/symbol_file.h: an ELF file with its symbol table and debug information, which
 * may be in a separate debug file. The files are read and not mapped: if one changes
 * meanwhile the result is wrong, but there is no fault.
 */
#ifndef CADV_SYMBOL_FILE_H
#define CADV_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define SYMBOL_FILE_BYTES (16ull << 30)	/* of a file */
#define SYMBOL_TABLE_BYTES (256ull << 20)	/* of a symbol or string table */
#define SYMBOL_DEBUG_BYTES (768ull << 20)	/* of all debug sections */
#define SYMBOL_DEPTH 16			/* nested inlined calls */

/* What identifies the file that the process had mapped. */
struct symbol_identity {
	const uint8_t *build_id;
	size_t build_id_len;	/* 0: it has none */
	uint64_t before_ns;	/* if it has none: modified before this time; 0: any */
};

/* An address, and its function. */
struct symbol_name {
	uint64_t address;	/* virtual address in the file */
	const char *name;	/* owned by the file; NULL: unknown */
	uint64_t start;		/* of the function */
	bool vague;		/* the function's length is not known */
	uint8_t rank;		/* private */
};

struct symbol_place {
	const char *function;	/* linkage name; NULL: unknown */
	const char *file;	/* NULL unknown */
	uint32_t line;
};

struct symbol_file;

/* symbol_file_open(path, id, e): NULL with ${e} (may be NULL) set if the file cannot be
 * read or ${id} does not match. symbol_file_close(f): NULL is allowed. */
struct symbol_file *symbol_file_open(const char *path,
    const struct symbol_identity *id, struct error *e);
void symbol_file_close(struct symbol_file *f);

/* symbol_file_address(f, offset, address): the virtual address of the byte at
 * ${offset} in the file; -1 if it is not code. */
int symbol_file_address(const struct symbol_file *f, uint64_t offset,
    uint64_t *address);

/* symbol_file_names(f, s, n): set name, start and vague of ${n} addresses, which are in
 * ascending order. */
void symbol_file_names(struct symbol_file *f, struct symbol_name *s, size_t n);

/* symbol_file_places(f, address, p, deadline): the source lines of ${address},
 * innermost call first, into ${p} with room for SYMBOL_DEPTH. Returns their number; 0
 * without debug information or when CLOCK_MONOTONIC is past ${deadline}. */
size_t symbol_file_places(struct symbol_file *f, uint64_t address,
    struct symbol_place *p, uint64_t deadline);

#endif
