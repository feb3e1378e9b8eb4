/* reset: works, calls cudaDeviceReset, and works again. */
#include "check.h"

int
main(void)
{
	need_gpu();
	for (int i = 0; i < 3; i++) {
		printf("round %d: %08x\n", i, work(0, 500));
		CHECK(cudaDeviceReset());
	}
	return 0;
}
