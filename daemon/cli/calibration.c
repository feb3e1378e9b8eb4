#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/paths.h"
#include "cli/daemon.h"
#include "model/ceilings.h"
#include "report/text_util.h"

#include "cli/calibration.h"

#define LINE_BYTES (64 << 10)	/* of the line for one GPU */

int
calibration_directory(char *out, struct error *e)
{
	char state[PATH_MAX];

	if (paths_state(state, e) != 0 ||
	    paths_join(out, state, "calibration", e) != 0)
		return -1;
	if (mkdir(out, 0700) != 0 && errno != EEXIST)
		return error_set(e, "cannot make '%s':", out);
	return 0;
}

int
calibration_uuid(char out[33], const char *uuid)
{
	size_t n = 0;

	if (uuid == NULL)
		return -1;
	if (strncasecmp(uuid, "GPU-", 4) == 0)
		uuid += 4;
	for (; *uuid != '\0'; uuid++) {
		if (*uuid == '-')
			continue;
		if (n == 32 || !isxdigit((unsigned char)*uuid))
			return -1;
		out[n++] = (char)tolower((unsigned char)*uuid);
	}
	out[n] = '\0';
	return n == 32 ? 0 : -1;
}

/* Stores one line of the runner's output; returns its object, or NULL with ${e} set. */
static json_t *
store(const char *line, struct error *e)
{
	char dir[PATH_MAX], path[PATH_MAX], uuid[33], name[48];
	struct ceilings c;
	json_t *j = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

	if (j == NULL || ceilings_parse(&c, line, strlen(line)) != 0 ||
	    calibration_uuid(uuid, field_text(j, "uuid")) != 0) {
		error_set(e, "cudadvise-kernels printed no calibration: "
		    "'%.100s'", line);
		goto fail;
	}
	snprintf(name, sizeof(name), "%s.json", uuid);
	if (calibration_directory(dir, e) != 0 ||
	    paths_join(path, dir, name, e) != 0)
		goto fail;
	if (json_dump_file(j, path, JSON_INDENT(1)) == 0)
		return j;
	error_set(e, "cannot write '%s':", path);
fail:
	json_decref(j);
	return NULL;
}

/* The runner's output, read line by line. */
struct line_reader {
	int fd;
	size_t have;
	char text[LINE_BYTES];
};

/* Reads more of it: 1; 0 at its end; -1 at ${until_ns} (0: never). */
static int
read_more(struct line_reader *r, uint64_t until_ns)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	uint64_t now;
	ssize_t n;

	for (;;) {
		now = clock_mono();
		if (until_ns != 0 && now >= until_ns)
			return -1;
		if (poll(&p, 1, until_ns == 0 ? -1 :
		    (int)((until_ns - now) / 1000000 + 1)) <= 0)
			continue;
		n = read(r->fd, r->text + r->have,
		    sizeof(r->text) - 1 - r->have);
		if (n < 0 && errno == EINTR)
			continue;
		r->have += n > 0 ? (size_t)n : 0;
		r->text[r->have] = '\0';
		return n > 0;
	}
}

static int
store_all(struct line_reader *r, json_t *items, uint64_t until_ns,
    void (*each)(void *arg, const json_t *item), void *arg, struct error *e)
{
	char *end;
	json_t *j;
	int rc;

	while ((rc = read_more(r, until_ns)) > 0) {
		while ((end = strchr(r->text, '\n')) != NULL) {
			*end = '\0';
			if (r->text[0] == '{') {
				if ((j = store(r->text, e)) == NULL)
					return -1;
				if (each != NULL)
					each(arg, j);
				json_array_append_new(items, j);
			}
			r->have -= (size_t)(end + 1 - r->text);
			memmove(r->text, end + 1, r->have + 1);
		}
		if (r->have == sizeof(r->text) - 1)
			return error_set(e, "cudadvise-kernels prints a line "
			    "without end");
	}
	return rc < 0 ? error_set(e, "it was not done in time") : 0;
}

static pid_t
start(const char *program, int out, bool silent)
{
	pid_t pid = fork();
	int null;

	if (pid != 0)
		return pid;
	dup2(out, STDOUT_FILENO);
	if (silent && (null = open("/dev/null", O_RDWR)) >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
	}
	/* We may ignore SIGINT; the terminal's is for the runner, too. */
	signal(SIGINT, SIG_DFL);
	execl(program, "cudadvise-kernels", "--calibrate", (char *)NULL);
	_exit(127);
}

int
calibration_measure(json_t *items, uint64_t limit_ns,
    void (*each)(void *arg, const json_t *item), void *arg, struct error *e)
{
	char program[PATH_MAX];
	struct line_reader *r;
	int fd[2], status = 0, rc;
	pid_t pid;

	if (daemon_sibling(program, "cudadvise-kernels", e) != 0) {
		e->remedy[0] = '\0';
		return error_remedy(e, "it is built where the CUDA toolkit "
		    "is installed");
	}
	if ((r = calloc(1, sizeof(*r))) == NULL)
		return error_memory(e);
	if (pipe2(fd, O_CLOEXEC) != 0) {
		free(r);
		return error_set(e, "cannot make a pipe:");
	}
	r->fd = fd[0];
	pid = start(program, fd[1], limit_ns != 0);
	close(fd[1]);
	rc = pid < 0 ? error_set(e, "cannot fork:") : store_all(r, items,
	    limit_ns != 0 ? clock_mono() + limit_ns : 0, each, arg, e);
	if (pid > 0 && rc != 0)
		kill(pid, SIGKILL);
	close(fd[0]);
	free(r);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (rc == 0 && status != 0)
		rc = error_set(e, "cudadvise-kernels --calibrate failed");
	if (rc == 0 && json_array_size(items) == 0)
		rc = error_set(e, "no GPU was found to calibrate");
	return rc;
}
