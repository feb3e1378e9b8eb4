/*
 * capture/symbol_file.h: one ELF file with its symbol table and debug
 * information, its own or that of its separate debug file. Nothing is mapped:
 * a file that changes while it is read gives nonsense, not a fault.
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
#define SYMBOL_DEPTH 16			/* calls inlined into each other */

/* What the file has to be. */
struct symbol_identity {
	const uint8_t *build_id;
	size_t build_id_len;	/* 0: it has none */
	uint64_t before_ns;	/* then: not changed since; 0 any */
};

/* An address asked for, and the function it is in. */
struct symbol_name {
	uint64_t address;	/* as the file counts them */
	const char *name;	/* of the file's memory; NULL unknown */
	uint64_t start;		/* of the function */
	bool vague;		/* the function's length is not known */
	uint8_t rank;		/* private */
};

struct symbol_place {
	const char *function;	/* as linked; NULL unknown */
	const char *file;	/* NULL unknown */
	uint32_t line;
};

struct symbol_file;

/* symbol_file_open(path, id, e): NULL with ${e} if the file is not that one. */
struct symbol_file *symbol_file_open(const char *path,
    const struct symbol_identity *id, struct error *e);
void symbol_file_close(struct symbol_file *f);

/* symbol_file_address(f, offset, address): what the file calls the byte that is
 * at ${offset} in it; -1 if that is no code. */
int symbol_file_address(const struct symbol_file *f, uint64_t offset,
    uint64_t *address);

/* symbol_file_names(f, s, n): the functions of ${n} addresses, which ascend. */
void symbol_file_names(struct symbol_file *f, struct symbol_name *s, size_t n);

/* symbol_file_places(f, address, p, deadline): where in the source ${address}
 * comes from, innermost first, at most SYMBOL_DEPTH; how many, 0 where there is
 * no debug information or the monotonic clock is past ${deadline}. */
size_t symbol_file_places(struct symbol_file *f, uint64_t address,
    struct symbol_place *p, uint64_t deadline);

#endif
