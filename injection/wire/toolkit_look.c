#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "toolkit.h"

uint32_t
toolkit_there(const char *path, unsigned major)
{
	uint32_t there = toolkit_bit(major);
	char sibling[PATH_MAX];

	for (major = TOOLKIT_OLDEST; major <= TOOLKIT_NEWEST; major++)
		if (toolkit_sibling(path, major, sibling,
		    sizeof(sibling)) == 0 && access(sibling, R_OK) == 0)
			there |= toolkit_bit(major);
	return there;
}

int
toolkit_kernel_driver(void)
{
	char line[256] = "";
	FILE *f = fopen("/proc/driver/nvidia/version", "re");

	if (f == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	return toolkit_driver(line);
}
