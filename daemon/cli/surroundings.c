#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "report/json_util.h"

#include "cli/surroundings.h"

/* Variables that affect a GPU or its libraries, or how fast the host feeds
 * them. No others are read: an environment contains secrets. */
static const char *const variables[] = {
	"CUBLAS_WORKSPACE_CONFIG", "CUDA_CACHE_DISABLE",
	"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_ORDER",
	"CUDA_DISABLE_PTX_JIT", "CUDA_FORCE_PTX_JIT", "CUDA_LAUNCH_BLOCKING",
	"CUDA_MANAGED_FORCE_DEVICE_ALLOC", "CUDA_MODULE_LOADING",
	"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "CUDA_VISIBLE_DEVICES",
	"GOMP_CPU_AFFINITY", "KMP_AFFINITY", "MKL_NUM_THREADS", "NCCL_ALGO",
	"NCCL_P2P_DISABLE", "NCCL_PROTO", "NVIDIA_TF32_OVERRIDE",
	"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND",
	"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
	"TF_FORCE_GPU_ALLOW_GROWTH", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
	"XLA_FLAGS",
};

#define VALUE_MOST 256		/* bytes of a value */

static json_t *
environment_json(void)
{
	json_t *o = json_object();
	char cut[VALUE_MOST + 1];
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if ((value = getenv(variables[i])) == NULL)
			continue;
		snprintf(cut, sizeof(cut), "%s", value);
		json_object_set_new(o, variables[i], json_text(cut));
	}
	return o;
}

/* The governor of the first CPU: mostly all have the same. */
static json_t *
governor_json(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu0/cpufreq/"
	    "scaling_governor", "re");
	char name[64];
	bool read;

	if (f == NULL)
		return json_null();
	read = fscanf(f, "%63s", name) == 1;
	fclose(f);
	return read ? json_text(name) : json_null();
}

/* A hash of the file's content: it distinguishes two builds, and is the same
 * for a copy. */
static json_t *
hash_json(const char *path)
{
	FILE *f = fopen(path, "re");
	XXH64_state_t *state;
	char text[20], *buf;
	json_t *out = json_null();
	size_t n;

	if (f == NULL)
		return out;
	state = XXH64_createState();
	buf = malloc(1 << 16);
	if (state != NULL && buf != NULL && XXH64_reset(state, 0) == XXH_OK) {
		while ((n = fread(buf, 1, 1 << 16, f)) > 0)
			XXH64_update(state, buf, n);
		if (!ferror(f)) {
			snprintf(text, sizeof(text), "%016llx",
			    (unsigned long long)XXH64_digest(state));
			out = json_string(text);
		}
	}
	free(buf);
	XXH64_freeState(state);
	fclose(f);
	return out;
}

char *
surroundings_text(json_t *watched, const char *program)
{
	json_t *o = watched != NULL ? watched : json_object();
	char *text;

	json_object_set_new(o, "governor", governor_json());
	json_object_set_new(o, "environment", environment_json());
	json_object_set_new(o, "program_hash", hash_json(program));
	text = json_dumps(o, JSON_COMPACT);
	json_decref(o);
	return text;
}
