#include <pthread.h>
#include <time.h>

#include "inject.h"
#include "nap.h"

void
nap(uint32_t ns)
{
	struct timespec t = { 0, (long)ns };
	int before;

	if (ns == 0)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	nanosleep(&t, NULL);
	pthread_setcancelstate(before, NULL);
}

bool
nap_within(uint64_t begin, uint64_t patience, uint32_t ns)
{

	if (inject_now() - begin >= patience)
		return false;
	nap(ns);
	return true;
}
