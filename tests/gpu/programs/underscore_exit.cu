/* underscore_exit: works, then ends by _exit(), past all exit handlers. */
#include <unistd.h>

#include "check.h"

int
main(void)
{
	need_gpu();
	printf("before the end: %08x\n", work(0, 1000));
	fflush(stdout);
	_exit(9);
}
