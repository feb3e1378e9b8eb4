/*
 * source/sass.c: finds instructions by address, see sass.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "source/operand.h"
#include "source/sass.h"

void
sass_free(struct sass *s)
{

	free(s->instruction);
	free(s->loop);
	free(s->inner);
	free(s->text);
	free(s->operands);
	free(s->writer);
	free(s->writers);
	memset(s, 0, sizeof(*s));
}

uint32_t
sass_at(const struct sass *s, uint32_t pc)
{
	size_t low = FIRST_NOT(mid, 0, s->instructions,
	    s->instruction[mid].pc < pc);

	if (low < s->instructions && s->instruction[low].pc == pc)
		return (uint32_t)low;
	return SASS_NONE;
}

uint32_t
sass_writer(const struct sass *s, uint32_t at, int reg)
{
	size_t first, end, low;

	if (s->writers == NULL || reg < 0 || reg >= REGISTERS)
		return SASS_NONE;
	first = reg == 0 ? 0 : s->writers[reg - 1];
	end = s->writers[reg];
	low = FIRST_NOT(mid, first, end, s->writer[mid] < at);
	return low > first ? s->writer[low - 1] : SASS_NONE;
}

const struct sass_loop *
sass_loop_of(const struct sass *s, uint32_t index)
{

	if (s->inner == NULL || index >= s->instructions ||
	    s->inner[index] == SASS_NONE)
		return NULL;
	return &s->loop[s->inner[index]];
}
