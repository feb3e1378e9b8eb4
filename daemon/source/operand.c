/*
 * source/operand.c: reading "@P0 LDG.E.64 R4,desc[UR4][R6.64+0x10]".
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source/sass.h"

#include "source/operand.h"

#define WORD_MAX 64

bool
operand_has(const struct sass_instruction *i, const char *part)
{
	return i != NULL && i->opcode != NULL && opcode_has(i->opcode, part);
}

/* The number of the register at ${s} ("R12.64", "UR4"); REGISTER_NONE for "RZ" and other
 * text. *${end}: where it ends; ${s} if it is no register. */
static int
parse_register(const char *s, const char **end)
{
	bool uniform = s[0] == 'U';
	const char *p = s + uniform;
	unsigned long n;
	char *stop;

	*end = s;
	if (p[0] != 'R' || !isdigit((unsigned char)p[1])) {
		if (p[0] == 'R' && p[1] == 'Z' && !isalnum((unsigned char)p[2]))
			*end = p + 2;
		return REGISTER_NONE;
	}
	errno = 0;
	n = strtoul(p + 1, &stop, 10);
	if (n >= UNIFORM_REGISTER)
		return REGISTER_NONE;
	*end = stop;
	return (int)n + (uniform ? UNIFORM_REGISTER : 0);
}

static void
add_use(struct operands *o, int reg)
{
	if (reg != REGISTER_NONE && o->uses < OPERAND_USES)
		o->use[o->uses++] = (int16_t)reg;
}

static bool
is_wide(const struct sass_instruction *i)
{
	return operand_has(i, "64") || operand_has(i, "WIDE") ||
	    (i->flags & SASS_FP64 && !(i->flags & SASS_PREDICATE)) ||
	    operand_has(i, "F64");
}

/* Registers that the result takes. */
static uint8_t
result_width(const struct sass_instruction *i)
{
	if (operand_has(i, "128"))
		return 4;
	if (i->flags & SASS_TENSOR)
		return 4;
	return is_wide(i) ? 2 : 1;
}

static bool
has_result(const struct sass_instruction *i)
{
	static const char *const none[] = { "NOP", "MEMBAR", "ERRBAR", "CCTL",
	    "DEPBAR", "LDGDEPBAR", "LDGSTS", "BSSY", "BSYNC", "BREAK",
	    "WARPSYNC", "RED", "REDG", "REDAS", "BPT", "YIELD", "NANOSLEEP",
	    "UBLKCP", "PREFETCH", "FENCE", "SYNCS" };

	if (i->opcode == NULL || i->flags & (SASS_STORE | SASS_BRANCH | SASS_BARRIER | SASS_EXIT |
	    SASS_CALL))
		return false;
	for (size_t n = 0; n < sizeof(none) / sizeof(none[0]); n++)
		if (opcode_is(i, none[n]))
			return false;
	return true;
}

/* "[R6.64+UR4+0x10]", after the bracket. */
static void
parse_address(struct operands *o, const char *s, const char *end)
{
	o->has_address = true;
	o->base = o->uniform = REGISTER_NONE;
	o->offset = 0;
	while (s < end) {
		const char *next = s;
		int reg = parse_register(s, &next);
		char *stop;

		if (reg >= UNIFORM_REGISTER) {
			o->uniform = (int16_t)reg;
			add_use(o, reg);
		} else if (reg != REGISTER_NONE) {
			if (o->base == REGISTER_NONE)
				o->base = (int16_t)reg;
			add_use(o, reg);
		} else if (*s == '-' || isdigit((unsigned char)*s)) {
			long long v = strtoll(s, &stop, 0);

			/* No offset is larger; the sum of two cannot overflow. */
			if (stop > s && v >= INT32_MIN && v <= UINT32_MAX) {
				o->offset = v;
				next = stop;
			}
		}
		s = next > s ? next : s;
		while (s < end && *s != '+')
			s++;
		s += s < end;
	}
}

static void
parse_special(struct operands *o, const char *s)
{
	if (strncmp(s, "SR_TID", 6) == 0 || strncmp(s, "SR_LANE", 7) == 0 ||
	    strncmp(s, "SR_EQMASK", 9) == 0 || strncmp(s, "SR_LT", 5) == 0 ||
	    strncmp(s, "SR_VIRTID", 9) == 0)
		o->varies |= VARIES_THREAD;
	else if (strncmp(s, "SR_CTAID", 8) == 0 ||
	    strncmp(s, "SR_CgaCtaId", 11) == 0)
		o->varies |= VARIES_BLOCK;
	else
		o->varies |= VARIES_OTHER;
}

static void
parse_number(struct operands *o, const char *s)
{
	char *stop;

	if (strncmp(s, "0x", 2) == 0 || strncmp(s, "-0x", 3) == 0) {
		long long v = strtoll(s, &stop, 16);

		if (*stop == '\0') {
			o->has_immediate = true;
			/* nvdisasm prints negative 32-bit values unsigned. */
			o->immediate = v > INT32_MAX && v <= UINT32_MAX ?
			    v - (1ll << 32) : v;
		}
		return;
	}
	o->number = strtod(s, &stop);
	o->has_float = stop > s && *stop == '\0' && isfinite(o->number);
}

static void
parse_constant(struct operands *o, const char *s)
{
	char *stop;

	if (strncmp(s, "c[0x0][", 7) == 0) {
		unsigned long v = strtoul(s + 7, &stop, 0);

		if (stop > s + 7 && v > 0 && v < 65536)
			o->parameter = (uint16_t)v;
	}
}

/* The bit of "P3", "UP0" in ${predicates}; -1 for PT, which is never written, and for
 * other text. */
static int
predicate_bit(const char *s)
{
	bool uniform = s[0] == 'U';

	s += uniform;
	return s[0] == 'P' && s[1] >= '0' && s[1] <= '6' ?
	    s[1] - '0' + 8 * uniform : -1;
}

static void
add_predicate(struct operands *o, const char *s)
{
	int bit = predicate_bit(s);

	s += s[0] == 'U';
	if (bit >= 0)
		o->predicates |= (uint16_t)(1u << bit);
	else if (s[0] == 'P' && s[1] == 'R')
		o->predicates = UINT16_MAX;	/* R2P: all of them */
}

/* One operand; ${at} is its place among them. */
static void
parse_operand(struct operands *o, const struct sass_instruction *i, char *s,
    int at, bool *first_is_predicate)
{
	const char *end;
	char *bracket;
	int reg;

	while (*s == '|' || *s == '~' || *s == '!' ||
	    (*s == '-' && !isdigit((unsigned char)s[1])))
		s++;
	add_predicate(o, s);
	if (s[0] == 'P' && (isdigit((unsigned char)s[1]) || s[1] == 'T')) {
		if (at == 0)
			*first_is_predicate = true;
		return;
	}
	if (s[0] == 'U' && s[1] == 'P') {
		if (at == 0)
			*first_is_predicate = true;
		return;
	}
	if (s[0] == 'c' && s[1] == '[') {
		parse_constant(o, s);
		bracket = strrchr(s, '[');
		if (bracket != NULL && bracket[1] != '0')
			add_use(o, parse_register(bracket + 1, &end));
		return;
	}
	bracket = strrchr(s, '[');
	if (bracket != NULL) {
		const char *close = strchr(bracket, ']');

		parse_address(o, bracket + 1, close ? close :
		    bracket + strlen(bracket));
		return;
	}
	if (s[0] == 'S' && strncmp(s, "SR_", 3) == 0) {
		parse_special(o, s);
		return;
	}
	reg = parse_register(s, &end);
	if (end == s) {
		parse_number(o, s);
		return;
	}
	if ((at == 0 || (at == 1 && *first_is_predicate)) &&
	    o->def == REGISTER_NONE && !(at == 1 && reg == REGISTER_NONE) &&
	    has_result(i)) {
		o->def = (int16_t)reg;
		o->defs = reg == REGISTER_NONE ? 0 : result_width(i);
		return;
	}
	add_use(o, reg);
	if (*end != '\0' && strstr(end, ".64") != NULL && is_wide(i))
		add_use(o, reg == REGISTER_NONE ||
		    (reg + 1) % UNIFORM_REGISTER == 0 ? REGISTER_NONE : reg + 1);
}

/* The text after the predicate and the opcode. */
static const char *
skip_opcode(struct operands *o, const struct sass_instruction *i)
{
	const char *s = i->text;

	while (*s == ' ')
		s++;
	if (*s == '@') {
		bool negated = s[1] == '!';
		int bit = predicate_bit(s + 1 + negated);

		o->guarded = true;
		if (bit >= 0)
			o->guard = (int8_t)(negated ? -(bit + 1) : bit + 1);
		while (*s != '\0' && *s != ' ')
			s++;
		while (*s == ' ')
			s++;
	}
	while (*s != '\0' && *s != ' ')
		s++;
	while (*s == ' ')
		s++;
	return s;
}

/* Is ${word} a register, and nothing else? */
static bool
is_register(const char *word)
{
	const char *end;

	parse_register(word, &end);
	return end > word && *end == '\0';
}

bool
operands_read(struct operands *o, const struct sass_instruction *i)
{
	bool first_is_predicate = false;
	const char *s;

	memset(o, 0, sizeof(*o));
	o->def = o->base = o->uniform = REGISTER_NONE;
	if (i == NULL || i->text == NULL)
		return false;
	s = skip_opcode(o, i);
	for (int at = 0; *s != '\0'; at++) {
		char word[WORD_MAX];
		size_t n = 0;

		while (*s != '\0' && *s != ',' && *s != ';') {
			word[n] = '\0';
			/* nvdisasm -json has no comma in "LDS R7[R0]". */
			if (*s == '[' && is_register(word))
				break;
			if (*s != ' ' && n < sizeof(word) - 1)
				word[n++] = *s;
			s++;
		}
		word[n] = '\0';
		s += *s != '\0' && *s != '[';
		while (*s == ' ')
			s++;
		if (n > 0)
			parse_operand(o, i, word, at, &first_is_predicate);
	}
	return true;
}

bool
operands_of(struct operands *o, const struct sass_instruction *i)
{
	if (i == NULL || i->operands == NULL)
		return operands_read(o, i);
	*o = *i->operands;
	return true;
}
