#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graphs.h"
#include "inject.h"

#define LOOK_NS 1000000000ull	/* between looks at the loaded libraries */

/* XLA makes graphs of what it compiles (command buffers): JAX's and TensorFlow's. */
static const char *const makers[] = {
	"xla_cuda_plugin", "libtensorflow", "_pywrap_tensorflow", "libtorch_xla",
	"_XLAC",
};

#define COMMAND_BUFFERS "--xla_gpu_enable_command_buffer="

static _Atomic bool likely;
static _Atomic bool found;		/* one of the makers is loaded, */
static _Atomic bool buffers;		/* and makes graphs */
static _Atomic uint64_t look_ns;	/* time of the next look */

void
graphs_seen(void)
{

	atomic_store_explicit(&likely, true, memory_order_relaxed);
}

static int
find_maker(struct dl_phdr_info *info, size_t size, void *cookie)
{
	const char *base;
	size_t i;

	(void)size;
	(void)cookie;
	if (info->dlpi_name == NULL)
		return 0;
	base = strrchr(info->dlpi_name, '/');
	base = base != NULL ? base + 1 : info->dlpi_name;
	for (i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strncmp(base, makers[i], strlen(makers[i])) == 0)
			return 1;
	return 0;
}

/* Does the user let XLA make none? The last of several flags counts. */
static bool
is_told_not_to(void)
{
	const char *flag = getenv("XLA_FLAGS"), *next, *last = NULL;

	for (; flag != NULL && (next = strstr(flag, COMMAND_BUFFERS)) != NULL;
	    flag = last)
		last = next + strlen(COMMAND_BUFFERS);
	return last != NULL && (*last == '\0' || *last == ' ');
}

/* The environment is read once: the program may change it meanwhile. */
static void
look(void)
{
	uint64_t now;

	if (atomic_load_explicit(&found, memory_order_relaxed))
		return;
	now = inject_now();
	if (now < atomic_load(&look_ns))
		return;
	atomic_store(&look_ns, now + LOOK_NS);
	if (dl_iterate_phdr(find_maker, NULL) != 0) {
		atomic_store(&buffers, !is_told_not_to());
		atomic_store(&found, true);
		graphs_seen();
	}
}

bool
graphs_likely(void)
{

	if (!atomic_load_explicit(&likely, memory_order_relaxed))
		look();
	return atomic_load(&likely);
}

bool
graphs_by_xla(void)
{

	look();
	return atomic_load(&buffers);
}
