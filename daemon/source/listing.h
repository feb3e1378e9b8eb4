/*
 * source/listing.h: parses a disassembler's output into instructions by
 * function. Pure over text, which a tool printed from a hostile file.
 */
#ifndef CADV_SOURCE_LISTING_H
#define CADV_SOURCE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define LISTING_BYTES (16u << 20)	/* of the tool's output */

struct listed {
	uint32_t pc;		/* in its section */
	const char *predicate;	/* "@P0"; "" none */
	const char *opcode;
	const char *operands;	/* without spaces; "" none */
	bool flow;		/* its last operand is a pc of the section */
};

struct listed_function {
	const char *name;
	uint32_t pc;		/* of its first instruction */
	size_t first, count;	/* of listing->instruction */
};

struct listing {
	struct listed *instruction;
	size_t instructions;
	struct listed_function *function;
	size_t functions;
	char *text;		/* private: what the strings point into */
	json_t *json;
};

/* listing_json(l, text, len): of `nvdisasm -json`. -1: invalid, or no memory.
 * Release with listing_free. */
int listing_json(struct listing *l, const char *text, size_t len);

/* listing_text(l, text, len): of `nvdisasm -c`. The same. */
int listing_text(struct listing *l, const char *text, size_t len);

void listing_free(struct listing *l);

#endif
