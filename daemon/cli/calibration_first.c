#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/paths.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/watch.h"
#include "model/shipped.h"
#include "report/text_util.h"

#include "cli/calibration.h"

/* The user waits for it and has asked for something else. */
#define LIMIT_NS 5000000000u
#define GPUS 64

struct gpu {
	char place[NAME_MAX + 1];	/* "0000:18:00.0" */
	char model[96];
	char uuid[33];			/* "": not shown */
};

/* The value that follows ${key} and white space in ${line}, up to ${size} bytes. */
static bool
read_value(const char *line, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0)
		return false;
	line += n + strspn(line + n, " \t");
	snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}

/* Reads one GPU from the driver's file ${path}: "Model: \t NVIDIA H200". */
static bool
read_gpu(const char *path, struct gpu *g)
{
	FILE *f = fopen(path, "re");
	char line[256], uuid[64] = "";

	g->model[0] = g->uuid[0] = '\0';
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL)
		if (!read_value(line, "Model:", g->model, sizeof(g->model)))
			read_value(line, "GPU UUID:", uuid, sizeof(uuid));
	fclose(f);
	/* While the GPU is suspended, the file has question marks. */
	if (calibration_uuid(g->uuid, uuid) != 0)
		g->uuid[0] = '\0';
	return g->model[0] != '\0';
}

/* The GPUs that the driver lists, without creating a CUDA context. */
static size_t
list(struct gpu gpu[GPUS])
{
	const char *root = getenv("CUDADVISE_GPUS");
	char path[PATH_MAX];
	struct dirent *d;
	size_t n = 0;
	DIR *dir;

	if (root == NULL || *root == '\0')
		root = "/proc/driver/nvidia/gpus";
	if ((dir = opendir(root)) == NULL)
		return 0;
	while (n < GPUS && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.' || snprintf(path, sizeof(path),
		    "%s/%s/information", root, d->d_name) >=
		    (int)sizeof(path) || !read_gpu(path, &gpu[n]))
			continue;
		snprintf(gpu[n].place, sizeof(gpu[n].place), "%s", d->d_name);
		n++;
	}
	closedir(dir);
	return n;
}

bool
calibration_ships(char model[96])
{
	struct gpu *gpu = calloc(GPUS, sizeof(*gpu));
	size_t n = gpu != NULL ? list(gpu) : 0, i;
	bool all = n > 0;

	for (i = 0; i < n; i++)
		all = all && shipped_model(gpu[i].model);
	if (all)
		snprintf(model, 96, "%s", gpu[0].model);
	free(gpu);
	return all;
}

static bool
is_measured(const char *dir, const struct gpu *g)
{
	char name[48], path[PATH_MAX];

	snprintf(name, sizeof(name), "%s.json", g->uuid);
	return g->uuid[0] != '\0' && paths_join(path, dir, name, NULL) == 0 &&
	    access(path, F_OK) == 0;
}

/* Was ${g} of this machine tried before, by a mark in ${dir}, or can no mark be
 * kept? With ${leave} the mark is left. */
static bool
is_tried(const char *dir, const struct gpu *g, bool leave)
{
	char host[65] = "", name[NAME_MAX + 1], path[PATH_MAX];
	int fd;

	gethostname(host, sizeof(host) - 1);
	snprintf(name, sizeof(name), ".tried-%.64s-%.100s", host, g->place);
	if (strchr(name, '/') != NULL || paths_join(path, dir, name, NULL) != 0)
		return true;
	if (!leave)
		return access(path, F_OK) == 0;
	if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    0600)) < 0)
		return true;
	close(fd);
	return false;
}

/* Finds the first GPU without known rates, into ${unknown}. With ${leave} all
 * such GPUs are marked as tried. */
static bool
find_unknown(struct gpu *unknown, bool leave)
{
	struct gpu *gpu = calloc(GPUS, sizeof(*gpu));
	size_t n = gpu != NULL ? list(gpu) : 0, i;
	char dir[PATH_MAX];
	bool found = false;

	for (i = 0; i < n; i++) {
		if (shipped_model(gpu[i].model) ||
		    calibration_directory(dir, NULL) != 0 ||
		    is_measured(dir, &gpu[i]) || is_tried(dir, &gpu[i], leave))
			continue;
		if (!found)
			*unknown = gpu[i];
		found = true;
	}
	free(gpu);
	return found;
}

/* Is a GPU in use? Rates measured beside other programs are too low. */
static bool
is_in_use(void)
{
	json_t *seen = watch_end(watch_begin());
	const json_t *gpu;
	bool used = false;
	size_t i;

	json_array_foreach(json_object_get(seen, "gpus"), i, gpu)
		used = used || field_count(gpu, "others") > 0;
	json_decref(seen);
	return used;
}

bool
calibration_first(struct cli *cli)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction interrupt;
	struct error e = ERROR_INIT;
	struct progress *progress;
	struct gpu unknown;
	char a[NUMBER_SIZE];
	json_t *items;
	bool some;
	int rc;

	/* If it is in use, a later run measures it. */
	if (!find_unknown(&unknown, false) || is_in_use() ||
	    !find_unknown(&unknown, true) || (items = json_array()) == NULL)
		return false;
	sigaction(SIGINT, &ignored, &interrupt);
	progress = progress_begin(cli, "measuring what this GPU can do, once");
	rc = calibration_measure(items, LIMIT_NS, NULL, NULL, &e);
	progress_end(progress);
	sigaction(SIGINT, &interrupt, NULL);
	some = json_array_size(items) > 0;
	if (rc == 0)
		cli_note(cli, "%s was not known: what %s can do was measured, "
		    "once (cudadvise calibrate --show)", unknown.model,
		    number_of(a, (double)json_array_size(items), "GPU"));
	else
		cli_note(cli, "%s is not known, and what it can do could not be "
		    "measured now: %.200s. cudadvise calibrate tries again",
		    unknown.model, e.text);
	json_decref(items);
	return some;
}
