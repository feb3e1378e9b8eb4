/*
 * source/sass_parse.c: parses the lines of a disassembly into instructions; see
 * sass.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/flow.h"
#include "source/opcode.h"
#include "source/operand.h"
#include "source/sass.h"

/* Parses hex digits up to a space; -1 otherwise. */
static int
pc_read(const char **p, const char *end, uint32_t *pc)
{
	const char *s = *p;
	uint32_t v = 0, digit;

	for (; s < end && *s != ' '; s++) {
		if (*s >= '0' && *s <= '9')
			digit = (uint32_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			digit = (uint32_t)(*s - 'a') + 10;
		else
			return -1;
		if (v >> 28 != 0)
			return -1;
		v = v << 4 | digit;
	}
	if (s == *p || s == end)
		return -1;
	*p = s + 1;
	*pc = v;
	return 0;
}

/* Parses "0x1e0" with nothing after it; SASS_NONE otherwise. */
static uint32_t
number(const char *s)
{
	char *end;
	unsigned long v;

	if (strncmp(s, "0x", 2) != 0)
		return SASS_NONE;
	v = strtoul(s + 2, &end, 16);
	if (end == s + 2 || *end != '\0' || v >= SASS_NONE)
		return SASS_NONE;
	return (uint32_t)v;
}

/* The target of a branch: its last operand, an absolute number. */
static void
branch_explain(struct sass_instruction *in)
{
	const char *operands = opcode_operands(in), *name = in->opcode;
	const char *last = strrchr(operands, ',');

	if (!opcode_is(in, "BRA") && !opcode_is(in, "JMP") &&
	    !opcode_is(in, "CALL"))
		return;
	/* A predicate may also be an operand, or a vote of the warp. */
	if ((last != NULL && (in->flags & SASS_CALL) == 0) ||
	    opcode_has(name, "DIV") || opcode_has(name, "CONV"))
		in->flags |= SASS_CONDITIONAL;
	last = last == NULL ? operands : last + 1;
	in->target = number(last + strspn(last, " "));
	if (in->target < in->pc && (in->flags & SASS_CALL) == 0)
		in->flags |= SASS_BACKWARD;
}

/* ${line} is terminated; ${name} has room for the opcode. Returns the bytes of
 * ${name} that were used. */
static size_t
instruction_read(struct sass_instruction *in, const char *line, char *name)
{
	const char *p = line + strspn(line, " ");
	size_t n;

	in->target = in->pair = SASS_NONE;
	in->text = p;
	if (*p == '@') {
		n = strcspn(p, " ");
		in->flags = strncmp(p, "@PT", n) == 0 ||
		    strncmp(p, "@UPT", n) == 0 ? 0 : SASS_CONDITIONAL;
		p += n;
		p += strspn(p, " ");
	}
	n = strcspn(p, " ");
	memcpy(name, p, n);
	name[n] = '\0';
	in->opcode = name;
	opcode_explain(in);
	if ((in->flags & SASS_BRANCH) != 0)
		branch_explain(in);
	return n + 1;
}

static size_t
count_lines(const char *text, size_t len)
{
	const char *p = text, *end = text + len, *nl;
	size_t n = 0;

	for (; p < end; p = nl + 1, n++)
		if ((nl = memchr(p, '\n', (size_t)(end - p))) == NULL)
			return n + 1;
	return n;
}

static int
lines_parse(struct sass *s, const char *text, size_t len)
{
	char *p = s->text, *end = p + len, *name = end + 1, *nl;
	struct sass_instruction *in;
	const char *q;
	uint32_t pc;

	memcpy(p, text, len);
	*end = '\0';
	for (; p < end; p = nl + 1) {
		if ((nl = memchr(p, '\n', (size_t)(end - p))) == NULL)
			nl = end;
		if (nl == p)
			continue;
		*nl = '\0';
		text_clean(p, (size_t)(nl - p));
		q = p;
		if (pc_read(&q, nl, &pc) != 0 || (s->instructions > 0 &&
		    pc <= s->instruction[s->instructions - 1].pc))
			return -1;
		in = &s->instruction[s->instructions++];
		in->pc = pc;
		name += instruction_read(in, q, name);
	}
	return s->instructions > 0 ? 0 : -1;
}

/*
 * A generic address may point to global, shared or local memory. If a function has no
 * instructions for shared or local memory, its generic accesses are to global memory: an
 * array in shared or local memory would be written by such instructions somewhere.
 */
static void
generic_explain(struct sass *s)
{
	for (size_t i = 0; i < s->instructions; i++)
		if (s->instruction[i].space == SPACE_SHARED ||
		    s->instruction[i].space == SPACE_LOCAL ||
		    s->instruction[i].flags & SASS_ASYNC)
			return;
	for (size_t i = 0; i < s->instructions; i++)
		if (s->instruction[i].space == SPACE_GENERIC)
			s->instruction[i].space = SPACE_GLOBAL;
}

/* What rules ask again and again is read once. */
static int
operands_keep(struct sass *s)
{
	s->operands = calloc(s->instructions, sizeof(*s->operands));
	if (s->operands == NULL)
		return -1;
	for (size_t i = 0; i < s->instructions; i++)
		if (operands_read(&s->operands[i], &s->instruction[i]))
			s->instruction[i].operands = &s->operands[i];
	return 0;
}

/* Lists the instructions that write each register, in the order of the code. */
static int
writers_keep(struct sass *s)
{
	uint32_t all = 0, at[REGISTERS + 1] = { 0 };

	for (size_t i = 0; i < s->instructions; i++) {
		const struct operands *o = &s->operands[i];

		for (int r = o->def; r >= 0 && r < o->def + o->defs && r < REGISTERS; r++)
			at[r + 1]++;
	}
	for (int r = 0; r < REGISTERS; r++) {
		all += at[r + 1];
		at[r + 1] = all;
	}
	s->writers = calloc(REGISTERS, sizeof(*s->writers));
	s->writer = calloc((size_t)all + 1, sizeof(*s->writer));
	if (s->writers == NULL || s->writer == NULL)
		return -1;
	for (uint32_t i = 0; i < s->instructions; i++) {
		const struct operands *o = &s->operands[i];

		for (int r = o->def; r >= 0 && r < o->def + o->defs && r < REGISTERS; r++)
			s->writer[at[r]++] = i;
	}
	memcpy(s->writers, at, REGISTERS * sizeof(*s->writers));
	return 0;
}

int
sass_parse(struct sass *s, const char *text, size_t len)
{
	struct flow f;
	size_t n = count_lines(text, len);
	int rc;

	memset(s, 0, sizeof(*s));
	if (n == 0 || n > SASS_MAX_INSTRUCTIONS || len > SIZE_MAX / 4)
		return -1;
	/* The lines, followed by the opcodes, which are shorter than their
	 * lines. */
	s->text = malloc(2 * len + 2);
	s->instruction = calloc(n, sizeof(*s->instruction));
	if (s->text == NULL || s->instruction == NULL ||
	    lines_parse(s, text, len) != 0)
		goto fail;
	generic_explain(s);
	if (operands_keep(s) != 0 || writers_keep(s) != 0)
		goto fail;
	if (flow_make(&f, s) != 0)
		goto fail;
	rc = flow_loops(&f, s);
	if (rc == 0)
		rc = flow_pairs(&f, s);
	flow_free(&f);
	if (rc == 0)
		return 0;
fail:
	sass_free(s);
	return -1;
}
