#include <time.h>

#include "inject.h"
#include "nap.h"

void
nap(uint32_t ns)
{
	struct timespec t = { 0, (long)ns };

	if (ns > 0)
		nanosleep(&t, NULL);
}

bool
nap_within(uint64_t begin, uint64_t patience, uint32_t ns)
{

	if (inject_now() - begin >= patience)
		return false;
	nap(ns);
	return true;
}
