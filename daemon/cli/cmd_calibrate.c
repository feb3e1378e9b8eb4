/*
 * cudadvise calibrate: the reference kernels measure, this stores. One JSON
 * object a GPU and line comes from cudadvise-kernels; its keys are the fields of
 * struct ceilings.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/paths.h"
#include "cli/calibrate_report.h"
#include "cli/daemon.h"
#include "model/ceilings.h"
#include "report/text_util.h"

#include "cli/command.h"

static int
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

/* 32 lower-case hex digits out of "GPU-8a2f…-…" or plain digits. */
static int
plain_uuid(char out[33], const char *uuid)
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

static void
print_ceilings(struct cli *cli, const json_t *j)
{
	static const struct {
		const char *key, *text, *unit;
	} rates[] = {
		{ "dram_bytes_per_s", "DRAM", "B/s" },
		{ "l2_bytes_per_s", "L2", "B/s" },
		{ "shared_bytes_per_s", "shared memory", "B/s" },
		{ "fp32_flops", "FP32", "FLOP/s" },
		{ "fp64_flops", "FP64", "FLOP/s" },
		{ "fp16_flops", "FP16, in pairs", "FLOP/s" },
		{ "tensor_flops", "tensor cores, FP16", "FLOP/s" },
	};
	static const struct {
		const char *key, *text;
	} times[] = {
		{ "launch_s", "a launch (host)" },
		{ "launch_gap_s", "between launches (GPU)" },
		{ "graph_node_gap_s", "between graph nodes (GPU)" },
		{ "sync_s", "an empty synchronisation" },
		{ "copy_fixed_s", "a small copy" },
	};
	struct out *o = &cli->out;
	char a[NUMBER_SIZE];
	double v;
	size_t i;

	out_format(o, "%s, measured %s\n",
	    or_unknown(field_text(j, "gpu")), or_unknown(field_text(j, "date")));
	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (isnan(v = field_number(j, rates[i].key)))
			continue;
		out_spaces(o, 2);
		out_cell(o, rates[i].text, 26);
		out_format(o, "%s\n", number_rate(a, v, rates[i].unit));
	}
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (isnan(v = field_number(j, times[i].key)))
			continue;
		out_spaces(o, 2);
		out_cell(o, times[i].text, 26);
		out_format(o, "%s\n", number_seconds(a, v));
	}
}

/* One line of the runner's output. */
static int
store(struct cli *cli, const char *line, json_t *items, struct error *e)
{
	char dir[PATH_MAX], path[PATH_MAX], uuid[33], name[48];
	struct ceilings c;
	json_t *j = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	int rc = -1;

	if (j == NULL || ceilings_parse(&c, line, strlen(line)) != 0 ||
	    plain_uuid(uuid, field_text(j, "uuid")) != 0) {
		error_set(e, "cudadvise-kernels printed no calibration: "
		    "'%.100s'", line);
		goto out;
	}
	snprintf(name, sizeof(name), "%s.json", uuid);
	if (calibration_directory(dir, e) != 0 ||
	    paths_join(path, dir, name, e) != 0)
		goto out;
	if (json_dump_file(j, path, JSON_INDENT(1)) != 0) {
		error_set(e, "cannot write '%s':", path);
		goto out;
	}
	if (!cli->opt.json && !cli->opt.quiet)
		print_ceilings(cli, j);
	json_array_append(items, j);
	rc = 0;
out:
	json_decref(j);
	return rc;
}

static int
store_all(struct cli *cli, FILE *from, json_t *items, struct error *e)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (n = getline(&line, &cap, from)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '{')
			rc = store(cli, line, items, e);
	}
	free(line);
	return rc;
}

static int
measure(struct cli *cli, json_t *items, struct error *e)
{
	char program[PATH_MAX];
	int fd[2], status = 0, rc;
	pid_t pid;
	FILE *from;

	if (daemon_sibling(program, "cudadvise-kernels", e) != 0) {
		e->remedy[0] = '\0';
		return error_remedy(e, "it is built where the CUDA toolkit "
		    "is installed");
	}
	if (pipe2(fd, O_CLOEXEC) != 0 || (from = fdopen(fd[0], "r")) == NULL)
		return error_set(e, "cannot make a pipe:");
	cli_note(cli, "measuring; this takes some seconds a GPU");
	if ((pid = fork()) == 0) {
		dup2(fd[1], STDOUT_FILENO);
		execl(program, "cudadvise-kernels", "--calibrate",
		    (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	rc = pid < 0 ? error_set(e, "cannot fork:") :
	    store_all(cli, from, items, e);
	fclose(from);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (rc == 0 && status != 0)
		rc = error_set(e, "cudadvise-kernels --calibrate failed");
	if (rc == 0 && json_array_size(items) == 0)
		rc = error_set(e, "no GPU was found to calibrate");
	return rc;
}

static int
show(struct cli *cli, json_t *items, struct error *e)
{
	char dir[PATH_MAX], path[PATH_MAX];
	struct dirent *d;
	json_t *j;
	DIR *p;

	if (calibration_directory(dir, e) != 0)
		return -1;
	if ((p = opendir(dir)) == NULL)
		return error_set(e, "cannot read '%s':", dir);
	while ((d = readdir(p)) != NULL) {
		if (d->d_name[0] == '.' ||
		    paths_join(path, dir, d->d_name, NULL) != 0 ||
		    (j = json_load_file(path, 0, NULL)) == NULL)
			continue;
		if (!cli->opt.json)
			print_ceilings(cli, j);
		json_array_append_new(items, j);
	}
	closedir(p);
	if (json_array_size(items) > 0)
		return 0;
	error_set(e, "no GPU of this machine has been calibrated");
	return error_remedy(e, "cudadvise calibrate");
}

int
cmd_calibrate(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	json_t *items;
	int rc;

	(void)argc;
	(void)argv;
	if (cli->opt.report)
		return calibrate_report(cli);
	items = json_array();
	rc = cli->opt.show ? show(cli, items, &e) : measure(cli, items, &e);
	if (rc != 0) {
		json_decref(items);
		return cli_error(cli, &e);
	}
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:o}", "items", items));
	json_decref(items);
	return 0;
}
