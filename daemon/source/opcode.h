/*
 * source/opcode.h: properties of opcodes, from Volta to Blackwell.
 */
#ifndef CADV_SOURCE_OPCODE_H
#define CADV_SOURCE_OPCODE_H

#include "source/sass.h"

/* Which general registers the operands of an opcode cover. */
enum opcode_how {
	HOW_ANY,	/* unknown: it may read and write any register */
	HOW_SCALAR,	/* one each, unless a modifier says 64 bits */
	HOW_PAIR,	/* two each */
	HOW_CONVERT,	/* depends on its modifiers */
	HOW_MEMORY,	/* as wide as the access; addresses one or two */
	HOW_MATRIX,	/* LDSM, STSM: a register for each 8×8 matrix */
	HOW_UNIFORM,	/* writes uniform registers */
	HOW_UMEMORY,	/* loads into uniform registers */
	HOW_FLOW,	/* writes none */
};

struct opcode {
	uint32_t flags;		/* enum sass_flag */
	uint8_t space;		/* enum sass_space */
	uint8_t how;		/* enum opcode_how */
};

/* opcode_find(text, len): the properties of an opcode, given without its modifiers; NULL
 * if it is unknown. */
const struct opcode *opcode_find(const char *text, size_t len);

/* opcode_has(text, modifier): does "FADD.FTZ.RN" have modifier "FTZ"? */
bool opcode_has(const char *text, const char *modifier);

/* opcode_explain(in): add the flags of its opcode to ${in} and set its space
 * and bytes. Returns what opcode_find does. */
const struct opcode *opcode_explain(struct sass_instruction *in);

/* opcode_is(in, name): is the opcode ${name}, with or without modifiers, as "BSSY" and
 * "BSSY.RECONVERGENT" are BSSY? False for NULL, or without an opcode. */
bool opcode_is(const struct sass_instruction *in, const char *name);

/* opcode_is_any(in, names): is the opcode one of ${names}, as "LEA ULEA"? */
bool opcode_is_any(const struct sass_instruction *in, const char *names);

/* opcode_adds(in): does it add integers? (Multiply-adds do not count.) */
bool opcode_adds(const struct sass_instruction *in);

/* opcode_operands(in): the text after its opcode. */
const char *opcode_operands(const struct sass_instruction *in);

#endif
