#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/daemon.h"
#include "cli/progress.h"
#include "cli/stream.h"
#include "capture/capture.h"
#include "capture/symbol.h"
#include "report/text_util.h"

#include "cli/collect.h"

#define WAIT_MS 5000		/* for a daemon without progress */
#define ANALYSIS_MS 120000	/* while it analyses the run */
#define CALIBRATION_MAX 65536	/* bytes of JSON */
#define CALIBRATIONS 64

/* Makes a directory for spool files next to ${capture}: on the same disk, so
 * that the finished capture can be renamed into place. */
static int
make_directory(struct collector *c, struct error *e)
{
	char parent[PATH_MAX];
	char *slash;

	snprintf(parent, sizeof(parent), "%s", c->capture);
	if ((slash = strrchr(parent, '/')) == NULL)
		snprintf(parent, sizeof(parent), ".");
	else if (slash == parent)
		slash[1] = '\0';
	else
		*slash = '\0';
	if (paths_join(c->directory, parent, ".cudadvise-XXXXXX", e) != 0)
		return -1;
	if (mkdtemp(c->directory) == NULL) {
		c->directory[0] = '\0';
		return error_set(e, "cannot write to '%s':", parent);
	}
	return 0;
}

/* The program may change its directory; its spool path must stay valid. */
static int
absolute(char *out, const char *path, struct error *e)
{
	char cwd[PATH_MAX];

	if (path[0] == '/')
		return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX ? 0 :
		    error_set(e, "the path '%.100s' is too long", path);
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		return error_set(e, "cannot find the current directory:");
	return paths_join(out, cwd, path, e);
}

/* Inserts ${mark} before the ".cadv" of ${path}, or appends it. */
static int
marked(char *path, const char *mark, struct error *e)
{
	size_t n = strlen(path), m = strlen(mark), tail = 0;

	if (n >= 5 && strcmp(path + n - 5, ".cadv") == 0)
		tail = 5;
	if (n + m >= PATH_MAX)
		return error_set(e, "the path '%.100s' is too long", path);
	memmove(path + n - tail + m, path + n - tail, tail + 1);
	memcpy(path + n - tail, mark, m);
	return 0;
}

/* The current directory, the state directory, or the one for temporary files: the
 * program shall run, whichever of them cannot be written. */
static int
open_anywhere(struct collector *c, const char *mark, struct error *e)
{
	struct error here = ERROR_INIT, there = ERROR_INIT, last = ERROR_INIT;
	const char *temporary = getenv("TMPDIR");
	char state[PATH_MAX], name[64];

	if (temporary == NULL || *temporary != '/')
		temporary = "/tmp";
	snprintf(name, sizeof(name), "cudadvise-%d%.20s.cadv",
	    (int)getpid(), mark);
	if (absolute(c->capture, name, &here) == 0 &&
	    make_directory(c, &here) == 0)
		return 0;
	if (paths_state(state, &there) == 0 &&
	    paths_join(c->capture, state, name, &there) == 0 &&
	    make_directory(c, &there) == 0)
		return 0;
	if (paths_join(c->capture, temporary, name, &last) == 0 &&
	    make_directory(c, &last) == 0)
		return 0;
	error_set(e, "no place for the capture: %.150s; %.150s; %.150s", here.text,
	    there.text, last.text);
	return error_remedy(e, "name one with --no-daemon -o FILE, or set "
	    "CUDADVISE_STATE_DIR to a directory of your own");
}

int
collect_open(struct collector *c, const char *path, const char *mark,
    struct error *e)
{
	struct stat st;

	memset(c, 0, sizeof(*c));
	if (path != NULL) {
		if (absolute(c->capture, path, e) != 0 ||
		    marked(c->capture, mark, e) != 0)
			return -1;
		if (stat(c->capture, &st) == 0 && !S_ISREG(st.st_mode))
			return error_set(e, "'%s' is not a regular file",
			    c->capture);
		return make_directory(c, e);
	}
	return open_anywhere(c, mark, e);
}

static int
is_spool(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 6 && strcmp(d->d_name + n - 6, ".spool") == 0;
}

static void
free_names(struct dirent **entry, char **path, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		free(entry[i]);
		if (path != NULL)
			free(path[i]);
	}
	free(entry);
	free(path);
}

/* Joins all spool files of the directory into ${out}. */
static int
concat(const struct collector *c, const char *out, struct error *e)
{
	struct dirent **entry;
	char **path = NULL;
	int n, i, rc = -1;

	if ((n = scandir(c->directory, &entry, is_spool, alphasort)) < 0)
		return error_set(e, "cannot read '%s':", c->directory);
	if ((path = calloc((size_t)n + 1, sizeof(*path))) == NULL)
		goto memory;
	for (i = 0; i < n; i++)
		if (asprintf(&path[i], "%s/%s", c->directory,
		    entry[i]->d_name) < 0) {
			path[i] = NULL;
			goto memory;
		}
	rc = capture_concat((const char *const *)path, (size_t)n, out, e);
	goto out;
memory:
	error_memory(e);
out:
	free_names(entry, path, n);
	return rc;
}

int
collect_finish(struct collector *c, struct error *e)
{
	struct error trouble = ERROR_INIT;
	char whole[PATH_MAX];

	if (paths_join(whole, c->directory, "whole.cadv", e) != 0 ||
	    concat(c, whole, e) != 0)
		goto fail;
	/* Without symbols the capture is still valid. */
	symbols_complete(whole, &trouble);
	if (rename(whole, c->capture) != 0) {
		error_set(e, "cannot write '%s':", c->capture);
		goto fail;
	}
	collect_discard(c);
	return 0;
fail:
	error_remedy(e, "the data is still in '%.180s'", c->directory);
	return -1;
}

void
collect_discard(struct collector *c)
{
	char path[PATH_MAX];
	struct dirent *d;
	DIR *dir;

	if (c->directory[0] == '\0' || (dir = opendir(c->directory)) == NULL)
		return;
	while ((d = readdir(dir)) != NULL)
		if (d->d_name[0] != '.' &&
		    paths_join(path, c->directory, d->d_name, NULL) == 0)
			unlink(path);
	closedir(dir);
	rmdir(c->directory);
	c->directory[0] = '\0';
}

/* Reads a file of at most CALIBRATION_MAX bytes; returns the length, 0 if there
 * is none. */
static size_t
read_small(const char *path, char *buf)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL)
		return 0;
	n = fread(buf, 1, CALIBRATION_MAX, f);
	if (!feof(f) && fgetc(f) != EOF)
		n = 0;
	fclose(f);
	return n;
}

/* "<32 hex digits>.json" */
static bool
calibration_gpu(const char *name, char gpu[33])
{

	if (strlen(name) != 37 || strcmp(name + 32, ".json") != 0)
		return false;
	memcpy(gpu, name, 32);
	gpu[32] = '\0';
	return text_is_hex(gpu, 32);
}

int
collect_calibrations(struct run_stream *s, struct error *e)
{
	char state[PATH_MAX], where[PATH_MAX], path[PATH_MAX], gpu[33];
	struct record_CALIBRATION r;
	char *buf;
	struct dirent *d;
	DIR *dir;
	int rc = 0, n = 0;

	if (paths_state(state, NULL) != 0 ||
	    paths_join(where, state, "calibration", NULL) != 0 ||
	    (dir = opendir(where)) == NULL)
		return 0;
	if ((buf = malloc(CALIBRATION_MAX + 1)) == NULL) {
		closedir(dir);
		return error_memory(e);
	}
	while (rc == 0 && n < CALIBRATIONS && (d = readdir(dir)) != NULL) {
		if (!calibration_gpu(d->d_name, gpu) ||
		    paths_join(path, where, d->d_name, NULL) != 0)
			continue;
		r.json.p = (uint8_t *)buf;
		if ((r.json.len = (uint32_t)read_small(path, buf)) == 0)
			continue;
		r.gpu = wire_str_of(gpu);
		rc = stream_calibration(s, &r, e);
		n++;
	}
	free(buf);
	closedir(dir);
	return rc;
}

enum stage {
	LOST, WAITING, ANALYSING,
	UNSTORED,		/* the run is over, but has no analysis (yet) */
	ANALYSED
};

/* *${stuck}: the daemon has a reason why it could not store all of it. */
static enum stage
analysed(struct cli *cli, const char *path, bool *stuck, struct error *e)
{
	struct error trouble = ERROR_INIT;
	enum stage now = WAITING;
	const char *state;
	json_t *run;

	if (client_get(cli->client, path, &run, &trouble) < 0) {
		/* It is not stored yet, or the daemon is restarting. */
		if (client_status(cli->client) == 404 ||
		    client_status(cli->client) == 0)
			return WAITING;
		if (e != NULL && !e->set)
			*e = trouble;
		return LOST;
	}
	*stuck = json_is_object(json_object_get(run, "problem"));
	state = field_text(run, "state");
	if (state != NULL && strcmp(state, "live") != 0)
		now = json_object_get(run, "summary") != NULL ? ANALYSED :
		    UNSTORED;
	else if (json_is_true(json_object_get(run, "analysing")))
		now = ANALYSING;
	json_decref(run);
	return now;
}

/* Does the daemon not even have a row for the run? Then ${e} is the reason. */
static bool
refused(struct cli *cli, const char *run, struct error *e)
{
	json_t *health = NULL;
	const json_t *problem;
	const char *of, *text, *remedy;

	if (client_get(cli->client, "/health", &health, NULL) < 0)
		return false;
	problem = json_object_get(health, "problem");
	of = field_text(problem, "run");
	text = field_text(problem, "text");
	remedy = field_text(problem, "remedy");
	if (of == NULL || text == NULL || strcmp(of, run) != 0) {
		json_decref(health);
		return false;
	}
	error_set(e, "the run was not stored, and nothing can be said of it: "
	    "%.300s", text);
	error_remedy(e, "%.200s", remedy != NULL ? remedy :
	    "cudadvise doctor");
	json_decref(health);
	return true;
}

int
collect_wait(struct cli *cli, const char *run, struct error *e)
{
	struct progress *progress;
	struct timespec step = { 0, 0 };
	enum stage now;
	char path[64];
	int waited = 0, idle = 0, ms = 5;
	bool stuck = false;

	if (cli->client == NULL && (cli->client = daemon_client(e)) == NULL)
		return -1;
	snprintf(path, sizeof(path), "/runs/%s", run);
	progress = progress_begin(cli, "analysing");
	while ((now = analysed(cli, path, &stuck, e)) != ANALYSED &&
	    now != LOST) {
		if (now == ANALYSING)
			idle = 0;
		if ((now == UNSTORED && stuck) || idle >= WAIT_MS || waited >= ANALYSIS_MS)
			break;
		step.tv_nsec = ms * 1000000L;
		nanosleep(&step, NULL);
		waited += ms;
		idle += ms;
		ms = ms < 100 ? 2 * ms : 100;
	}
	progress_end(progress);
	if (now == ANALYSED)
		return 0;
	if (now == UNSTORED || (now == WAITING && stuck)) {
		error_set(e, "the daemon could not store the run");
		error_remedy(e, "cudadvise doctor");
		return 1;
	}
	if (refused(cli, run, e))
		return -1;
	error_set(e, "the daemon has not analysed the run within %d s",
	    waited / 1000);
	return error_remedy(e, "cudadvise show %.8s, later", run);
}
