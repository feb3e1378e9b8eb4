#include "model/model.h"

#include "report/ending.h"

size_t
unended_processes(const struct run *r)
{
	size_t n = 0, i;

	if (r->state == RUN_LIVE)
		return 0;
	for (i = 0; i < r->processes; i++)
		n += !r->process[i].ended;
	return n;
}
