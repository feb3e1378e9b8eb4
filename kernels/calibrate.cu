/*
 * calibrate.cu: run the measurements on each GPU, print them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate.h"
#include "harness.h"

#define SEED 20240229

static const char *const way_name[COPY_WAYS] = {
	"pinned_h2d", "pinned_d2h", "pageable_h2d", "pageable_d2h"
};

/* The kernel driver's version, else the CUDA version that it supports. */
static int
driver_version(char *out, size_t size)
{
	FILE *f = fopen("/sys/module/nvidia/version", "re");
	int v = 0;

	if (f) {
		bool read = fgets(out, (int)size, f) != NULL;

		fclose(f);
		out[strcspn(out, "\n")] = '\0';
		if (read && out[0])
			return 0;
	}
	TRY(cudaDriverGetVersion(&v));
	snprintf(out, size, "CUDA %d.%d", v / 1000, v % 1000 / 10);
	return 0;
}

/* Print a string as JSON; bytes that JSON does not take become '?'. */
static void
print_text(const char *key, const char *s)
{
	printf(",\"%s\":\"", key);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s >= ' ' && *s < 127 ? *s : '?');
	}
	putchar('"');
}

static void
print_number(const char *key, double v)
{
	printf(",\"%s\":%.9g", key, v);
}

static void
print_copies(const struct measured *m)
{
	printf(",\"copy\":[");
	for (int i = 0; i < m->copies; i++) {
		printf("%s{\"bytes\":%llu", i ? "," : "",
		    (unsigned long long)m->bytes[i]);
		for (int w = 0; w < COPY_WAYS; w++)
			print_number(way_name[w], m->copy_s[i][w]);
		printf("}");
	}
	printf("]");
}

static int
print_measured(const struct job *job, const struct measured *m)
{
	char text[64];
	time_t now = time(NULL);
	struct tm tm;

	printf("{\"calibrated\":true");
	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	print_text("date", text);
	print_text("gpu", job->gpu.name);
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x",
		    (unsigned char)job->gpu.uuid.bytes[i]);
	print_text("uuid", text);
	if (driver_version(text, 32))
		return -1;
	print_text("driver", text);
#define NUMBER(field) print_number(#field, m->field)
	NUMBER(dram_bytes_per_s);
	NUMBER(l2_bytes_per_s);
	NUMBER(shared_bytes_per_s);
	NUMBER(fp32_flops);
	NUMBER(fp64_flops);
	NUMBER(fp16_flops);
	if (m->tensor_flops > 0)
		NUMBER(tensor_flops);
	NUMBER(sm_hz);
	NUMBER(launch_s);
	NUMBER(launch_gap_s);
	NUMBER(graph_node_gap_s);
	NUMBER(sync_s);
	NUMBER(malloc_s);
	NUMBER(free_s);
	NUMBER(copy_fixed_s);
#undef NUMBER
	print_copies(m);
	printf("}\n");
	if (fflush(stdout) || ferror(stdout)) {
		perror("cudadvise-kernels: stdout");
		return -1;
	}
	return 0;
}

static void
progress(int device, const struct job *job, const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[KGPU %d, %s: %s", device,
		    job->gpu.name, what);
}

static int
calibrate_device(int device)
{
	struct job job = {};
	struct measured m = {};
	int rc;

	job.name = "calibrate";
	job.seed = SEED;
	job.check = true;
	TRY(cudaSetDevice(device));
	rc = job_init(&job);
	if (!rc) {
		progress(device, &job, "memory and arithmetic …");
		rc = calibrate_throughput(&job, &m);
	}
	if (!rc)
		rc = calibrate_half(&job, &m);
	if (!rc) {
		progress(device, &job, "launches, waits, allocations …");
		rc = calibrate_host(&job, &m);
	}
	if (!rc) {
		progress(device, &job, "copies …");
		rc = calibrate_copies(&job, &m);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	if (!rc)
		rc = job_verdict(&job);
	if (job_release(&job))
		rc = -1;
	return rc ? rc : print_measured(&job, &m);
}

int
calibrate(void)
{
	int n;

	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	TRY(cudaGetDeviceCount(&n));
	for (int i = 0; i < n; i++)
		if (calibrate_device(i))
			return -1;
	return 0;
}
