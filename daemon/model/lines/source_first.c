/*
 * model/lines/source_first.c: chooses the frame of a call stack to show: the innermost
 * one of the program's own code, not of CUDA or a framework, nor code that the compiler
 * generated between a launch and its statement in the source.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts/core.h"
#include "model/lines/source_state.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
starts_with(const char *s, const char *with)
{

	return strncmp(s, with, strlen(with)) == 0;
}

static bool
starts_with_any(const char *s, const char *const *with, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (starts_with(s, with[i]))
			return true;
	return false;
}

/* Is it a library below all others (CUDA, libc, Python)? It does not show the caller. */
static bool
system_module(const char *module)
{
	static const char *const libraries[] = {
		"libcuda.so", "libcudart", "libnv", "libcupti", "libcudadvise",
		"libc.so", "libc-2", "libpthread", "libdl", "libm.so",
		"libstdc++", "libgcc_s", "libgomp", "ld-linux", "ld-2",
		"libpython", "libasan", "libtsan", "linux-vdso", "[vdso]",
	};

	return module != NULL &&
	    starts_with_any(module, libraries, COUNT(libraries));
}

/* Libraries whose frames are never the program's own. */
static bool
foreign_module(const char *module)
{
	static const char *const libraries[] = {
		"libcublas", "libcudnn", "libcufft", "libcusparse",
		"libcusolver", "libcurand", "libnccl", "libtorch", "libc10",
		"libaten", "libtriton", "libtensorflow", "libjax",
		"xla_extension",
	};

	return system_module(module) || (module != NULL &&
	    starts_with_any(module, libraries, COUNT(libraries)));
}

/* Inline wrappers of the toolkit's headers. */
static bool
toolkit_file(const char *file)
{
	static const char *const headers[] = {
		"cuda_runtime.h", "cuda_runtime_api.h", "cuda.h",
		"host_runtime.h", "driver_functions.h",
	};
	const char *name;
	size_t i;

	if (file == NULL)
		return false;
	name = text_base_name(file);
	for (i = 0; i < COUNT(headers); i++)
		if (strcmp(name, headers[i]) == 0)
			return true;
	return strstr(name, ".cudafe1.stub.c") != NULL;
}

/* Is it of a statically linked CUDA runtime, or one of nvcc's launch stubs? A function of
 * the program may be called cudaSomething, too; then it has a source file. */
static bool
cuda_function(const struct site_frame *f)
{
	static const char *const names[] = {
		"cudaLaunchKernel", "__cudaLaunchKernel", "__device_stub__",
		"cudart::", "__cudart", "libcudart_static_",
		"__cudaPushCallConfiguration", "__cudaPopCallConfiguration",
		"___cudart", "__nv_cudaEntityRegister",
	};
	const char *name = f->function;

	if (name == NULL)
		return false;
	/* Names of template functions begin with the return type. */
	if (starts_with(name, "cudaError cudaLaunchKernel") ||
	    starts_with(name, "cudaError_t cudaLaunchKernel") ||
	    starts_with_any(name, names, COUNT(names)) ||
	    strstr(name, " __device_stub__") != NULL)
		return true;
	if (f->file != NULL)
		return toolkit_file(f->file);
	/* The API's functions are C: no parameters in the name. */
	return strchr(name, '(') == NULL && starts_with(name, "cuda") &&
	    isupper((unsigned char)name[4]);
}

/* Where the name of a function begins: that of a template follows its return type. */
static const char *
path_of(const char *function)
{
	const char *path = function, *at;
	int inside = 0;

	for (at = function; *at != '\0' && (*at != '(' || inside > 0); at++) {
		inside += *at == '<';
		inside -= *at == '>';
		if (*at == ' ' && inside == 0)
			path = at + 1;
	}
	return path;
}

/* Is it a template of CUDA's headers? Compiled into the program, but not its own. */
static bool
header_function(const struct site_frame *f)
{
	static const char *const spaces[] = { CORE_SPACES };

	return f->function != NULL &&
	    starts_with_any(path_of(f->function), spaces, COUNT(spaces));
}

/* Is it nvcc's host function with the name of the kernel, which only launches it? */
static bool
launch_stub(const struct site_frame *f, const struct kernel *k)
{
	char brief[256];

	if (k == NULL || f->function == NULL)
		return false;
	if (strchr(f->function, '(') != NULL)
		return strcmp(f->function, k->name) == 0;
	/* Debug information may have the name without parameters. */
	text_shorten(brief, sizeof(brief), f->function);
	return strcmp(brief, k->short_name) == 0;
}

/* Is the name readable, not that of a template or lambda? */
static bool
plain_name(const struct site_frame *f)
{
	const char *name = f->function;

	return name != NULL && !f->nearest &&
	    memchr(name, '<', strcspn(name, "(")) == NULL &&
	    strstr(name, "operator()") == NULL &&
	    strstr(name, "(anonymous") == NULL;
}

/* For a thread of a framework, without frames of the program: the innermost function
 * of the framework with a readable name. */
static size_t
first_foreign(const struct site *s)
{
	size_t i;

	for (i = 0; i < s->frames; i++)
		if (!system_module(s->frame[i].module) &&
		    !cuda_function(&s->frame[i]) && plain_name(&s->frame[i]))
			return i;
	for (i = 0; i < s->frames; i++)
		if (!system_module(s->frame[i].module))
			return i;
	return 0;
}

static size_t
first_native(const struct site *s, const struct kernel *k)
{
	const struct site_frame *f;
	bool stub = false;
	size_t i;

	for (i = 0; i < s->frames; i++) {
		f = &s->frame[i];
		if (foreign_module(f->module) || cuda_function(f) ||
		    header_function(f))
			continue;
		if (!stub && launch_stub(f, k)) {
			stub = true;
			continue;
		}
		return i;
	}
	return first_foreign(s);
}

/* The path after "…/site-packages/", or NULL. */
static const char *
installed(const char *file)
{
	static const char *const folders[] = {
		"/site-packages/", "/dist-packages/",
	};
	const char *at;
	size_t i;

	for (i = 0; i < COUNT(folders); i++)
		if ((at = strstr(file, folders[i])) != NULL)
			return at + strlen(folders[i]);
	return NULL;
}

static bool
framework(const char *package)
{
	static const char *const packages[] = {
		"torch", "torchvision", "torchaudio", "torch_xla", "triton",
		"cupy", "cupyx", "cupy_backends", "numba", "numba_cuda", "jax",
		"jaxlib", "tensorflow", "keras", "numpy", "scipy", "pycuda",
		"cuda", "warp", "taichi", "functorch", "torchgen", "nvmath",
		"flash_attn", "xformers", "apex", "transformer_engine",
		"bitsandbytes", "cudf", "cuml", "rmm", "lightning",
		"lightning_fabric", "pytorch_lightning", "accelerate",
		"deepspeed", "einops", "opt_einsum", "flax", "haiku",
		"equinox", "optax", "chex", "orbax", "torch_geometric",
		"torch_scatter", "torch_sparse", "torch_cluster", "dgl",
		"torchmetrics", "ignite", "fastai", "torchdiffeq",
	};
	size_t i, n = strcspn(package, "/.");

	for (i = 0; i < COUNT(packages); i++)
		if (strlen(packages[i]) == n &&
		    strncmp(packages[i], package, n) == 0)
			return true;
	return false;
}

/* "<frozen importlib._bootstrap>", "/usr/lib/python3.11/threading.py". */
static bool
standard_library(const char *file)
{
	const char *at = file;

	if (starts_with(file, "<frozen"))
		return true;
	while ((at = strstr(at, "/lib/python3")) != NULL) {
		at += strlen("/lib/python3");
		at += strspn(at, ".0123456789t");
		if (*at == '/')
			return true;
	}
	return false;
}

/* Is it code that a framework's compiler generated: Triton's launchers, Inductor's
 * modules in its cache? */
static bool
generated(const char *file)
{

	return strcmp(file, "<string>") == 0 ||
	    strstr(file, "/torchinductor_") != NULL;
}

bool
site_own(const struct site_frame *f)
{
	const char *package;

	if (!f->python || f->file == NULL || generated(f->file))
		return false;
	if ((package = installed(f->file)) != NULL)
		return !framework(package);
	return !standard_library(f->file);
}

#define SEARCHED 64		/* sites from which on they are searched */

/* The first site that does not come before the launches of ${kernel}: the order is
 * that of rank_compare in source_site.c. */
static size_t
first_launch(const struct site *site, size_t n, uint64_t kernel)
{
	size_t from = 0, to = n, at;

	while (from < to) {
		at = from + (to - from) / 2;
		if (site[at].call < CALL_LAUNCH || (site[at].call ==
		    CALL_LAUNCH && site[at].kernel < kernel))
			from = at + 1;
		else
			to = at;
	}
	return from;
}

size_t
site_launches(const struct site *site, size_t n, uint32_t kernel, size_t *end)
{

	*end = n;
	if (n < SEARCHED)
		return 0;
	*end = first_launch(site, n, (uint64_t)kernel + 1);
	return first_launch(site, n, kernel);
}

bool
site_installed(const struct site_frame *f)
{
	return f->python && f->file != NULL && installed(f->file) != NULL;
}

/* "/opt/venv/bin/accelerate": pip makes such a script for a package. */
static bool
starter(const char *file)
{
	const char *name = strrchr(file, '/');

	return strstr(file, "/bin/") != NULL && strchr(name, '.') == NULL;
}

/* Who calls a package (transformers, gpytorch) does not edit it: a line of the program's
 * own files is the place, where there is one, and else the package's. */
size_t
site_first(const struct site *s, const struct kernel *k)
{
	size_t i, package = s->frames;

	for (i = 0; i < s->frames && s->frame[i].python; i++) {
		if (!site_own(&s->frame[i]))
			continue;
		if (!site_installed(&s->frame[i]) && !starter(s->frame[i].file))
			return i;
		if (package == s->frames)
			package = i;
	}
	if (i > 0)
		return package < s->frames ? package : 0;
	return first_native(s, k);
}
