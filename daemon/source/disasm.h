/*
 * source/disasm.h: the toolkit's disassembler as a child process: no shell, an
 * empty environment, limits on time, memory and output, the code in a file of its
 * own that is gone afterwards. It is the one place of the daemon that runs
 * another program, and its arguments hold nothing of what a stream said but
 * numbers.
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
	uint64_t ns;		/* the most that one run may take; 0: the
				 * usual 10 s, which is also the most */
};

/*
 * disasm_find(d): look for nvdisasm: CUDADVISE_NVDISASM (that one or none; empty
 * is none), then PATH, then /usr/local/cuda/bin, and ask for its version. 0; -1
 * if there is none that runs.
 */
int disasm_find(struct disassembler *d);

/*
 * disasm_run(d, cubin, size, symbols, count, text, e): disassemble the
 * functions at ${symbols} (indices in .symtab). text[i] is malloced in the form
 * of sass.h, or NULL for a function the tool left out. A kernel's text has the
 * functions that stand within it, as its symbol's size does. A pc, and the
 * target of a branch, count from the function's first instruction. -1 with ${e}.
 */
int disasm_run(const struct disassembler *d, const uint8_t *cubin, size_t size,
    const uint32_t *symbols, size_t count, char **text, struct error *e);

/* A function and the opened cubin that has it. */
struct disasm_code {
	const struct cubin *cubin;
	const struct cubin_function *function;
};

#define DISASM_CODE_BYTES (3u << 20)	/* of one run */

/* disasm_code_bytes(w): what the section around the function takes of them; 0
 * if disasm_code is not for it. */
size_t disasm_code_bytes(const struct disasm_code *w);

/*
 * disasm_code(d, want, count, text, bad, e): the same for functions of any
 * cubins of one architecture, at once, from the bytes of their sections alone:
 * the tool takes longer over a cubin's other tables than over its code. -1 with
 * ${e} where it cannot, and in *${bad} the function that it says is why, or
 * SIZE_MAX: disasm_run may still do.
 */
int disasm_code(const struct disassembler *d, const struct disasm_code *want,
    size_t count, char **text, size_t *bad, struct error *e);

#endif
