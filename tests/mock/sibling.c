/*
 * sibling.c: replaces an injection library of another CUDA major. Writes that
 * it was called into the file MOCK_SIBLING.
 */
#include <stdio.h>
#include <stdlib.h>

int InitializeInjection(void);
int InitializeInjectionNvtx2(void *table);

static int
say(const char *what)
{
	const char *path = getenv("MOCK_SIBLING");
	FILE *f = path != NULL ? fopen(path, "a") : NULL;

	if (f != NULL) {
		fprintf(f, "%s\n", what);
		fclose(f);
	}
	return 1;
}

int
InitializeInjection(void)
{

	return say("injection");
}

int
InitializeInjectionNvtx2(void *table)
{

	(void)table;
	return say("nvtx");
}
