#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "base/number.h"
#include "base/paths.h"
#include "cli/calibration.h"
#include "cli/client.h"
#include "cli/daemon.h"
#include "facts/permission.h"
#include "report/text_util.h"
#include "source/disasm.h"

#include "cli/doctor.h"

#define CAP_SYS_ADMIN_BIT 21	/* linux/capability.h */
#define SPACE_WARN (1ull << 30)

static void
say(struct check_result *r, enum verdict_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void
remedy(struct check_result *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
say(struct check_result *r, enum verdict_level level, const char *fmt, ...)
{
	va_list ap;

	r->level = level;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

static void
remedy(struct check_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->remedy, sizeof(r->remedy), fmt, ap);
	va_end(ap);
}

static void
say_error(struct check_result *r, enum verdict_level level,
    const struct error *e)
{

	say(r, level, "%s", e->text);
	remedy(r, "%s", e->remedy);
}

/* The rest of the first line of ${path} that begins with ${key}, after white
 * space; -1 if there is none. */
static int
file_value(const char *path, const char *key, char *out, size_t cap)
{
	char line[1024];
	FILE *f = fopen(path, "re");
	size_t n = strlen(key);
	const char *p;
	int rc = -1;

	if (f == NULL)
		return -1;
	while (rc != 0 && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, key, n) != 0)
			continue;
		p = line + n;
		p += strspn(p, " \t:");
		snprintf(out, cap, "%.*s", (int)strcspn(p, "\n"), p);
		rc = 0;
	}
	fclose(f);
	return rc;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54 …": the first word
 * with a digit and a dot. */
static void
check_driver(struct check_result *r)
{
	char line[512];
	const char *word;

	if (file_value("/proc/driver/nvidia/version", "NVRM version", line,
	    sizeof(line)) != 0) {
		say(r, CHECK_FAIL, "no NVIDIA kernel driver is loaded");
		remedy(r, "install the NVIDIA driver and load it (modprobe "
		    "nvidia); in a container, give it the GPU (--gpus all)");
		return;
	}
	for (word = line; *word != '\0'; word += strcspn(word, " \t"),
	    word += strspn(word, " \t"))
		if (isdigit((unsigned char)word[0]) &&
		    memchr(word, '.', strcspn(word, " \t")) != NULL)
			break;
	say(r, CHECK_OK, "kernel driver %.*s", (int)strcspn(word, " \t"),
	    word);
}

static void
check_libcuda(struct check_result *r)
{
	int (*version)(int *), n = 0;
	void *lib = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	const char *why;

	if (lib == NULL) {
		why = dlerror();
		say(r, CHECK_FAIL, "libcuda.so.1 cannot be loaded: %.200s",
		    or_unknown(why));
		remedy(r, "install the driver's user-space libraries "
		    "(libcuda1); in a container, use the NVIDIA container "
		    "toolkit");
		return;
	}
	version = (int (*)(int *))dlsym(lib, "cuDriverGetVersion");
	if (version == NULL || version(&n) != 0)
		say(r, CHECK_WARN, "libcuda.so.1 does not say its version");
	else if (n < 12000)
		say(r, CHECK_WARN, "the driver is for CUDA %d.%d; counters "
		    "need 12.0 or newer", n / 1000, n % 1000 / 10);
	else
		say(r, CHECK_OK, "libcuda for CUDA %d.%d", n / 1000,
		    n % 1000 / 10);
}

static bool
has_admin(void)
{
	char caps[64];

	if (file_value("/proc/self/status", "CapEff", caps, sizeof(caps)) != 0)
		return geteuid() == 0;
	return strtoull(caps, NULL, 16) >> CAP_SYS_ADMIN_BIT & 1;
}

static void
check_counters(struct check_result *r)
{
	char value[64];

	if (file_value("/proc/driver/nvidia/params", "RmProfilingAdminOnly",
	    value, sizeof(value)) != 0) {
		say(r, CHECK_WARN, "the driver does not say who may read GPU "
		    "counters");
		remedy(r, "a run will tell: its report names the permission "
		    "if it is missing");
	} else if (strcmp(value, "0") == 0) {
		say(r, CHECK_OK, "every user may read GPU counters");
	} else if (has_admin()) {
		say(r, CHECK_OK, "GPU counters are for administrators, which "
		    "you are here");
	} else {
		say(r, CHECK_WARN, "GPU counters are for administrators only: "
		    PERMISSION_ADDS);
		remedy(r, PERMISSION_HOW);
	}
}

/* Does a process have that name in /proc/PID/comm? */
static bool
runs_process(const char *name)
{
	char path[64], comm[64];
	struct dirent *d;
	bool found = false;
	DIR *dir = opendir("/proc");
	FILE *f;

	while (dir != NULL && !found && (d = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)d->d_name[0]) ||
		    strlen(d->d_name) > 16)
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/comm", d->d_name);
		if ((f = fopen(path, "re")) == NULL)
			continue;
		if (fgets(comm, sizeof(comm), f) != NULL) {
			comm[strcspn(comm, "\n")] = '\0';
			found = strcmp(comm, name) == 0;
		}
		fclose(f);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

static void
check_others(struct check_result *r)
{
	static const char *const variables[] = { "CUDA_INJECTION64_PATH",
		"NVTX_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID",
		"KINETO_USE_DAEMON", "KINETO_CONFIG" };
	static const char *const programs[] = { "nv-hostengine", "nsys",
		"ncu", "dcgmi" };
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (getenv(variables[i]) == NULL)
			continue;
		say(r, CHECK_WARN, "%s is set: another profiler may be in the "
		    "program", variables[i]);
		remedy(r, "unset %s", variables[i]);
		return;
	}
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!runs_process(programs[i]))
			continue;
		say(r, CHECK_WARN, "%s runs: it may hold the GPU's counters",
		    programs[i]);
		remedy(r, "if counters are refused, stop it or pause its "
		    "profiling (dcgmi profpause)");
		return;
	}
	say(r, CHECK_OK, "no other profiler seen");
}

static void
check_mps(struct check_result *r)
{
	extern char **environ;
	char **v;

	for (v = environ; *v != NULL; v++) {
		if (strncmp(*v, "CUDA_MPS_", 9) != 0)
			continue;
		say(r, CHECK_WARN, "%.60s: programs share the GPU through MPS, "
		    "which has no counters", *v);
		remedy(r, "unset CUDA_MPS_PIPE_DIRECTORY for the run");
		return;
	}
	say(r, CHECK_OK, "not in use");
}

/* MIG capabilities appear here once a GPU has been partitioned. */
static void
check_mig(struct check_result *r)
{
	struct dirent *d;
	bool sliced = false;
	char path[PATH_MAX];
	DIR *dir = opendir("/proc/driver/nvidia/capabilities");

	while (dir != NULL && !sliced && (d = readdir(dir)) != NULL) {
		if (strncmp(d->d_name, "gpu", 3) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/driver/nvidia/"
		    "capabilities/%.64s/mig/gi1", d->d_name);
		sliced = access(path, F_OK) == 0;
	}
	if (dir != NULL)
		closedir(dir);
	if (!sliced) {
		say(r, CHECK_OK, "no slices");
		return;
	}
	say(r, CHECK_WARN, "a GPU is cut into MIG slices: their counters may "
	    "be refused");
	remedy(r, "run on a whole GPU to have them");
}

/* What the daemon failed to store last, which makes it degraded. */
static void
check_problem(struct check_result *r, struct client *c)
{
	json_t *health = NULL;
	const json_t *problem;
	const char *what;

	if (client_get(c, "/health", &health, NULL) < 0)
		return;
	problem = json_object_get(health, "problem");
	if (json_is_object(problem)) {
		say(r, CHECK_WARN, "degraded: run %.8s was not stored completely: %.300s",
		    or_unknown(field_text(problem, "run")),
		    or_unknown(field_text(problem, "text")));
		if ((what = field_text(problem, "remedy")) != NULL)
			remedy(r, "%.200s", what);
	}
	json_decref(health);
}

static void
check_daemon(struct check_result *r)
{
	struct error e = ERROR_INIT;
	struct client *c = NULL;
	json_t *version = NULL;
	char program[PATH_MAX];
	const char *v;

	if (!daemon_answers(NULL)) {
		say(r, CHECK_OK, "not running; it starts with the next run");
		if (daemon_sibling(program, "cudadvised", &e) != 0)
			say_error(r, CHECK_WARN, &e);
		return;
	}
	if ((c = daemon_client(&e)) == NULL ||
	    client_get(c, "/version", &version, &e) < 0) {
		say_error(r, CHECK_FAIL, &e);
	} else {
		v = or_unknown(field_text(version, "version"));
		if (daemon_is_ours(c, &e)) {
			say(r, CHECK_OK, "cudadvised %.60s answers", v);
			check_problem(r, c);
		} else {
			say_error(r, CHECK_WARN, &e);
		}
	}
	json_decref(version);
	client_free(c);
}

static void
check_state(struct check_result *r)
{
	struct error e = ERROR_INIT;
	struct statvfs vfs;
	char path[PATH_MAX], a[NUMBER_SIZE];
	unsigned long long left;

	if (paths_state(path, &e) != 0) {
		say_error(r, CHECK_FAIL, &e);
		return;
	}
	if (access(path, W_OK | X_OK) != 0 || statvfs(path, &vfs) != 0) {
		say(r, CHECK_FAIL, "'%.300s' cannot be written: %s", path,
		    strerror(errno));
		remedy(r, "set CUDADVISE_STATE_DIR to a directory that can");
		return;
	}
	left = (unsigned long long)vfs.f_bavail * vfs.f_frsize;
	say(r, left < SPACE_WARN ? CHECK_WARN : CHECK_OK, "%.300s, %s free",
	    path, number_bytes(a, (double)left));
	if (left < SPACE_WARN)
		remedy(r, "cudadvise rm deletes runs");
}

static void
check_calibration(struct check_result *r)
{
	char state[PATH_MAX], path[PATH_MAX], a[NUMBER_SIZE], model[96];
	struct dirent *d;
	size_t n = 0;
	DIR *dir;

	if (paths_state(state, NULL) == 0 &&
	    paths_join(path, state, "calibration", NULL) == 0 &&
	    (dir = opendir(path)) != NULL) {
		while ((d = readdir(dir)) != NULL)
			n += d->d_name[0] != '.';
		closedir(dir);
	}
	if (n > 0) {
		say(r, CHECK_OK, "%s measured", number_of(a, n, "GPU"));
		return;
	}
	if (calibration_ships(model)) {
		say(r, CHECK_OK, "none: savings are predicted from what other "
		    "GPUs of the model reach (%s)", model);
		return;
	}
	say(r, CHECK_WARN, "none: savings are predicted from the GPU's "
	    "attributes, until the first run measures it");
	remedy(r, "cudadvise calibrate");
}

/* Finds what the daemon would find if we started it, since it inherits our
 * environment. */
static void
check_disassembler(struct check_result *r)
{
	struct disassembler d;

	if (disasm_find(&d) == 0) {
		say(r, CHECK_OK, "%.60s, %.300s", d.version, d.path);
		return;
	}
	say(r, CHECK_WARN, "none: instructions are counted without being "
	    "named, and some practices are not checked");
	remedy(r, "install the CUDA toolkit's nvdisasm, or name it in "
	    "CUDADVISE_NVDISASM");
}

const struct check doctor_checks[] = {
	{ "driver", check_driver },
	{ "libcuda", check_libcuda },
	{ "counters", check_counters },
	{ "CUPTI", doctor_cupti },
	{ "injection", doctor_injection },
	{ "profilers", check_others },
	{ "MPS", check_mps },
	{ "MIG", check_mig },
	{ "daemon", check_daemon },
	{ "state", check_state },
	{ "calibration", check_calibration },
	{ "nvdisasm", check_disassembler },
};
const size_t doctor_check_count =
    sizeof(doctor_checks) / sizeof(doctor_checks[0]);
