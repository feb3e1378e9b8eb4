/*
 * source/sass.h: a function's instructions: what each does, which memory it
 * accesses, how wide, and how they depend on each other. Pure over text, that
 * of DISASSEMBLY records: one instruction a line, "<pc in hex> <predicate or
 * nothing> <opcode> <operands>\n", as in "0070 @P0 EXIT" or "00c0
 * LDG.E.128.CONSTANT R4,desc[UR4][R6.64+0x10]".
 */
#ifndef CADV_SASS_H
#define CADV_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SASS_MAX_INSTRUCTIONS (1u << 18)
#define SASS_NONE UINT32_MAX

enum sass_space {
	SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONSTANT,
	SPACE_GENERIC, SPACE_TEXTURE, SPACE_COUNT
};

enum sass_flag {
	SASS_LOAD = 1 << 0,
	SASS_STORE = 1 << 1,
	SASS_ATOMIC = 1 << 2,		/* ATOM, ATOMG, ATOMS, RED, REDG */
	SASS_READ_ONLY = 1 << 3,	/* LDG.CONSTANT: the read-only path */
	SASS_ASYNC = 1 << 4,		/* LDGSTS, TMA */
	SASS_BRANCH = 1 << 5,		/* BRA, BRX, JMP, CALL, RET … */
	SASS_BACKWARD = 1 << 6,		/* to a lower pc of the function */
	SASS_CONDITIONAL = 1 << 7,	/* under a predicate, or a vote (BRA.DIV) */
	SASS_BARRIER = 1 << 8,		/* BAR */
	SASS_SHUFFLE = 1 << 9,		/* SHFL, REDUX */
	SASS_FP32 = 1 << 10,
	SASS_FP64 = 1 << 11,
	SASS_FP16 = 1 << 12,
	SASS_INT = 1 << 13,
	SASS_CONVERT = 1 << 14,		/* F2F, I2F … */
	SASS_F32_F64 = 1 << 15,		/* between float and double */
	SASS_XU = 1 << 16,		/* MUFU: the special-function unit */
	SASS_TENSOR = 1 << 17,		/* HMMA, IMMA, DMMA, HGMMA … */
	SASS_MULTIPLY = 1 << 18,	/* FMUL, DMUL, HMUL2 */
	SASS_ADD = 1 << 19,		/* FADD, DADD, HADD2 */
	SASS_FMA = 1 << 20,		/* FFMA, DFMA, HFMA2 */
	SASS_CALL = 1 << 21,
	SASS_EXIT = 1 << 22,
	SASS_PREDICATE = 1 << 23,	/* sets predicates: ISETP, FSETP … */
};

struct operands;

struct sass_instruction {
	uint32_t pc;
	uint32_t flags;			/* enum sass_flag */
	uint32_t target;		/* target pc of a branch; SASS_NONE */
	uint32_t pair;			/* index of the only add that uses this
					 * multiply: fusible; SASS_NONE */
	uint8_t space;			/* enum sass_space */
	uint8_t bytes;			/* bytes per lane: 1, 2, 4, 8, 16, 32;
					 * 0 */
	const char *text;		/* the line without its pc */
	const char *opcode;		/* "LDG.E.128", terminated */
	const struct operands *operands;	/* operand.h; NULL: not read yet */
};

/* A loop: a backward branch and the instructions from its target on. */
struct sass_loop {
	uint32_t head, tail;		/* indices: first instruction, branch */
	uint32_t depth;			/* 0 outermost */
};

struct sass {
	struct sass_instruction *instruction;	/* by pc */
	size_t instructions;
	struct sass_loop *loop;		/* by head */
	size_t loops;
	uint32_t *inner;		/* private: innermost loop of each */
	char *text;			/* private */
	struct operands *operands;	/* private: of each */
	uint32_t *writer;		/* private: those that write R0, then those
					 * that write R1 … */
	uint32_t *writers;		/* private: where those of each register end */
};

/* sass_parse(s, text, len): 0; -1 without memory, or if the text is invalid.
 * Release with sass_free. */
int sass_parse(struct sass *s, const char *text, size_t len);
void sass_free(struct sass *s);

/* Steps up to which the code of a kernel is looked at where they grow as its loops (or
 * its atomics) times its instructions: 2 ms for 1,023 loops in a row. Code of libraries
 * has 10,000 instructions and 10 to 100 loops. */
#define SASS_STEPS_MOST (1u << 22)

/* sass_at(s, pc): the index of the instruction at ${pc}, or SASS_NONE. */
uint32_t sass_at(const struct sass *s, uint32_t pc);

/* sass_writer(s, at, reg): the last instruction before ${at} that writes register ${reg}
 * (operand.h), or SASS_NONE. */
uint32_t sass_writer(const struct sass *s, uint32_t at, int reg);

/* sass_loop_of(s, index): the innermost loop around an instruction, or NULL. */
const struct sass_loop *sass_loop_of(const struct sass *s, uint32_t index);

#endif
