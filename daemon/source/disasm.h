/*
 * source/disasm.h: runs the toolkit's disassembler as a child process: no
 * shell, an empty environment, limits on time, memory and output, the code in a
 * temporary file of its own. The daemon runs no other program, and the
 * arguments contain only numbers from a stream.
 */
#ifndef CADV_DISASM_H
#define CADV_DISASM_H

#include <stddef.h>
#include <stdint.h>

struct cubin;
struct cubin_function;
struct error;

struct disassembler {
	char path[4096];	/* of nvdisasm; "" none was found */
	char version[64];	/* "nvdisasm V13.0.85" */
	uint64_t ns;		/* time limit of one run; 0: 10 s, which is also
				 * the maximum */
};

/*
 * disasm_find(d): look for nvdisasm: in CUDADVISE_NVDISASM (only there if it is
 * set; empty: none), then PATH, then /usr/local/cuda/bin, and ask for its
 * version. 0; -1 if none runs.
 */
int disasm_find(struct disassembler *d);

/*
 * disasm_run(d, cubin, size, symbols, count, text, e): disassemble the
 * functions at ${symbols} (indices in .symtab). text[i] is malloced in the
 * format of sass.h, or NULL for a function that the tool left out. A kernel's
 * text includes the functions inside its symbol's size. A pc, and a branch
 * target, counts from the function's first instruction. -1 with ${e}.
 */
int disasm_run(const struct disassembler *d, const uint8_t *cubin, size_t size,
    const uint32_t *symbols, size_t count, char **text, struct error *e);

/* A function in an opened cubin. */
struct disasm_code {
	const struct cubin *cubin;
	const struct cubin_function *function;
};

#define DISASM_CODE_BYTES (3u << 20)	/* of one run */

/* disasm_code_bytes(w): the size of the function's section, which counts
 * towards DISASM_CODE_BYTES; 0 if disasm_code cannot take the function. */
size_t disasm_code_bytes(const struct disasm_code *w);

/*
 * disasm_code(d, want, count, text, bad, e): as disasm_run, for functions of several
 * cubins of one architecture, in one run, from the bytes of their sections
 * alone: the tool takes longer for a cubin's other tables than for its code. -1
 * with ${e} on failure, and *${bad} the index of the function that caused it, or
 * SIZE_MAX; disasm_run may still work then.
 */
int disasm_code(const struct disassembler *d, const struct disasm_code *want,
    size_t count, char **text, size_t *bad, struct error *e);

#endif
