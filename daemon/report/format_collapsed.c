/*
 * Collapsed stacks, as flamegraph.pl, inferno and speedscope read them: one
 * stack per line, "kernel;function (file:line);[stall] nanoseconds". Semicolons
 * in names become colons, since they separate frames.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "report/stacks.h"
#include "report/text_util.h"

#include "report/format.h"

static int
frame(FILE *f, const struct stack_frame *x)
{
	char *name = format_clean(x->name);
	char *file = format_clean(x->file != NULL ? text_base_name(x->file) : "");
	char *p;

	for (p = name; p != NULL && *p != '\0'; p++)
		if (*p == ';')
			*p = ':';
	for (p = file; p != NULL && *p != '\0'; p++)
		if (*p == ';')
			*p = ':';
	if (name != NULL && file != NULL) {
		fputs(name, f);
		if (file[0] != '\0' && x->line > 0)
			fprintf(f, " (%s:%" PRIu64 ")", file, x->line);
	}
	free(file);
	free(name);
	return name != NULL && file != NULL ? 0 : -1;
}

static int
write_stack(void *arg, const struct stack *s)
{
	FILE *f = arg;
	size_t i;

	for (i = 0; i < s->frames; i++) {
		if (i > 0)
			putc(';', f);
		if (frame(f, &s->frame[i]) != 0)
			return -1;
	}
	if (s->stall != NULL)
		fprintf(f, ";[%s]", s->stall);
	fprintf(f, " %" PRIu64 "\n", s->ns);
	return 0;
}

int
format_collapsed(FILE *f, const struct report *r)
{

	return stacks_each(r, write_stack, f);
}
