/*
 * rules/library.c: kernels that come in binaries, see library.h.
 */
#include <string.h>

#include "model/model.h"

#include "rules/library.h"

/* Parts of shared objects' names. */
static const char *const module[] = {
	"libtorch", "libc10", "libcublas", "libcudnn", "libcufft", "libcurand",
	"libcusparse", "libcusolver", "libcutensor", "libnccl", "libnpp",
	"libnvinfer", "libnvjpeg", "libnvblas", "libnvshmem", "libonnxruntime",
	"libtensorflow", "libtensorrt", "xla_extension", "libcuvs", "libcudf",
	"libraft", "libcudss",
};

/* Parts of kernels' names, without the arguments of template or function. */
static const char *const name[] = {
	"at::native::", "at::cuda::", "at_cuda_detail::", "c10::", "cublas",
	"cudnn", "cutlass::", "cutlass_", "cutensor", "nvjet_", "ncclDevKernel",
	"ncclKernel", "maxwell_", "sgemm_largek_", "sgemm_32x32x32_", "gemv2T",
	"gemvNSP", "xmma_",
	"splitKreduce_kernel", "cask_", "volta_", "turing_", "ampere_", "hopper_",
	"sm80_", "sm90_", "sm100_", "regular_fft", "vector_fft", "cusparse::",
	"cusolver", "curand::", "pytorch_flash::", "fmha_", "cub::", "thrust::",
};

/* The innermost native frame that belongs to a module says who launches. */
static const char *
launcher(const struct run *run, const struct kernel *k)
{
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != k->id)
			continue;
		for (size_t f = 0; f < s->frames; f++) {
			const char *m = s->frame[f].module;

			if (m == NULL || s->frame[f].python ||
			    strstr(m, "libcudart") != NULL ||
			    strstr(m, "libcuda.so") != NULL ||
			    strstr(m, "libcudadvise") != NULL ||
			    strstr(m, "libcupti") != NULL)
				continue;
			return m;
		}
	}
	return NULL;
}

static bool
is_named(const char *text)
{
	size_t len = strcspn(text, "<(");

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		const char *at = strstr(text, name[i]);

		if (at != NULL && (size_t)(at - text) < len)
			return true;
	}
	return false;
}

bool
library_owns(const struct run *run, const struct kernel *k)
{
	const char *m = launcher(run, k);
	const char *text = k->name != NULL ? k->name : k->mangled;

	for (size_t i = 0; m != NULL &&
	    i < sizeof(module) / sizeof(module[0]); i++)
		if (strstr(m, module[i]) != NULL)
			return true;
	return text != NULL && is_named(text);
}
