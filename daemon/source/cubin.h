/*
 * source/cubin.h: reads a cubin, the ELF file of device code, in a buffer. The
 * bytes come from another process and are hostile: every offset is checked,
 * nothing outside of the file is copied, work is bounded by its size.
 */
#ifndef CADV_CUBIN_H
#define CADV_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define CUBIN_MAX_BYTES (64u << 20)
#define CUBIN_MAX_FUNCTIONS 65536u

struct cubin_function {
	const char *name;	/* mangled; in the cubin's memory */
	uint32_t symbol;	/* index in .symtab */
	uint32_t section;	/* of its code */
	uint32_t offset;	/* of its first instruction in that section */
	uint32_t size;		/* bytes of code */
	bool entry;		/* a kernel, not a device function */
};

struct cubin {
	const uint8_t *bytes;	/* owned by the caller, outlives the cubin */
	size_t size;
	uint32_t arch;		/* 90 for sm_90; 0 unknown */
	bool lines;		/* has a line table (-lineinfo or -G) */
	bool debug;		/* compiled with -G: full debug information */
	struct cubin_function *function;	/* by name, entries of one
						 * name by symbol */
	size_t functions;
	struct cubin_parts *parts;	/* private */
};

/* cubin_open(c, bytes, size, e): read the tables of ${bytes}. -1 with ${e} if
 * it is not a cubin. Release with cubin_close. */
int cubin_open(struct cubin *c, const uint8_t *bytes, size_t size,
    struct error *e);
void cubin_close(struct cubin *c);

/* cubin_find(c, name, symbol): the function with this name; of several the one
 * at ${symbol}; NULL none. */
const struct cubin_function *cubin_find(const struct cubin *c,
    const char *name, uint32_t symbol);

#define CUBIN_STEP 16u	/* bytes of an instruction, since sm_70 */

/* cubin_code(c, section, size): the bytes of a section of code, NULL none. */
const uint8_t *cubin_code(const struct cubin *c, uint32_t section,
    size_t *size);

/*
 * cubin_linked(c, section, symbol, count): the relocated instructions among a
 * section's first ${count}: symbol[i] becomes the symbol that the i-th refers
 * to; other elements stay unchanged.
 */
void cubin_linked(const struct cubin *c, uint32_t section, uint32_t *symbol,
    size_t count);

/* cubin_symbol(c, symbol): its name, or NULL. */
const char *cubin_symbol(const struct cubin *c, uint32_t symbol);

/* A call that launches a kernel, or calls a function that may. */
struct cubin_launch {
	uint32_t pc;		/* bytes from the function's start */
	bool direct;		/* a call of the device runtime itself */
};

#define LAUNCHES_MAX 16		/* call sites kept per function */

/* cubin_launches(c, f, out): the call sites where ${f}, or its subroutines,
 * launch kernels (dynamic parallelism), by pc. Returns their number. */
size_t cubin_launches(const struct cubin *c, const struct cubin_function *f,
    struct cubin_launch out[LAUNCHES_MAX]);

/* Where an instruction came from, innermost call first. */
#define LINE_DEPTH 32	/* innermost calls kept */

struct line_place {
	uint32_t file;		/* index into lines->file */
	uint32_t line;		/* 1.. */
	const char *function;	/* mangled; the inlined function, or NULL */
};

/* From ${pc} to the next row's pc. */
struct line_row {
	uint32_t pc;		/* bytes from the function's start */
	uint32_t depth;		/* 1 + number of inlined calls; 0: no line */
	struct line_place place[LINE_DEPTH];
};

struct lines {
	char **file;		/* paths as in the line table, absolute where it
				 * has the directory */
	size_t files;
	struct line_row *row;	/* by pc, each different from the one before */
	size_t rows;
};

/*
 * lines_read(l, c, f, e): the line table of one function. -1 with ${e} if there
 * is none or it is damaged. The chain of inlined calls comes from NVIDIA's
 * extension of DWARF: see program.h. Release with lines_free.
 */
int lines_read(struct lines *l, const struct cubin *c,
    const struct cubin_function *f, struct error *e);
void lines_free(struct lines *l);

/* lines_at(l, pc): the row that covers ${pc}, or NULL. */
const struct line_row *lines_at(const struct lines *l, uint32_t pc);

#endif
