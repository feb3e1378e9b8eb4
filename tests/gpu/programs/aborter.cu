/* aborter: works, then ends by abort(). */
#include "check.h"

int
main(void)
{
	need_gpu();
	printf("before the end: %08x\n", work(0, 1000));
	fflush(stdout);
	abort();
}
