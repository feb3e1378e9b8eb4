/*
 * cupti_user: a program that profiles itself: it loads CUPTI and records kernels.
 * Whether CUPTI accepts that goes to stderr, the results of its work to stdout.
 */
#include <atomic>
#include <dlfcn.h>

#include <cupti.h>

#include "check.h"

#define SIZE (1u << 20)

static CUptiResult (*next_record)(uint8_t *, size_t, CUpti_Activity **);
static std::atomic<int> kernels;

static void CUPTIAPI
requested(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = (uint8_t *)aligned_alloc(64, SIZE);
	*size = *buffer ? SIZE : 0;
	*records = 0;
}

static void CUPTIAPI
completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
	CUpti_Activity *r = NULL;

	while (valid > 0 && next_record(buffer, valid, &r) == CUPTI_SUCCESS)
		kernels += r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	free(buffer);
}

#define FIND(pointer, name) (*(void **)&(pointer) = dlsym(lib, name))

int
main(void)
{
	static const char *const paths[] = { "libcupti.so.13", "libcupti.so",
	    "/usr/local/cuda/lib64/libcupti.so",
	    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so" };
	CUptiResult (*set)(CUpti_BuffersCallbackRequestFunc,
	    CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind), (*flush)(uint32_t), a, b, c;
	void *lib = NULL;

	need_gpu();
	for (const char *path : paths)
		if (!lib)
			lib = dlopen(path, RTLD_NOW);
	if (!lib || !FIND(set, "cuptiActivityRegisterCallbacks") ||
	    !FIND(enable, "cuptiActivityEnable") ||
	    !FIND(flush, "cuptiActivityFlushAll") ||
	    !FIND(next_record, "cuptiActivityGetNextRecord")) {
		fprintf(stderr, "skipped: no CUPTI\n");
		return SKIP;
	}
	a = set(requested, completed);
	b = enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	printf("%08x\n", work(0, 1000));
	c = flush(1);
	if (kernels > 0)
		fprintf(stderr, "cupti: %d kernels seen\n", kernels.load());
	else
		fprintf(stderr, "cupti: refused: %d %d %d\n", (int)a, (int)b,
		    (int)c);
	printf("%08x\n", work(0, 1000));
	return 0;
}
