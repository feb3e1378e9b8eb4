/*
 * fuzz_demangle.c: a mangled name, which is answered in bounded time, whatever it
 * is. The first byte: how much of its run's time is spent.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/demangle.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The kernel looks at a timer of processor time at each of its ticks: at most
 * 10 ms apart. As much again is the sanitizers'. */
#define SLACK_NS 40000000u

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct demangling d = { 0 };
	char *mangled, *name, brief[256];
	uint64_t before;

	if (size < 1 || size > 20000 || (mangled = malloc(size + 2)) == NULL)
		return (0);
	/* What does not begin so is a copy of itself. */
	memcpy(mangled, "_Z", 2);
	memcpy(mangled + 2, data + 1, size - 1);
	mangled[size + 1] = '\0';
	d.spent_ns = before = DEMANGLE_RUN_NS / 255 * data[0];
	if ((name = demangle_name(&d, mangled)) != NULL) {
		if (d.spent_ns - before > DEMANGLE_NAME_NS + SLACK_NS ||
		    d.raw > 1 || strlen(name) > 65535 ||
		    (d.raw == 1 && strcmp(name, mangled) != 0))
			abort();
		text_shorten(brief, sizeof(brief), name);
	}
	free(name);
	free(mangled);
	return (0);
}
