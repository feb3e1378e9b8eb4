/*
 * cudadvise calibrate: the reference kernels measure, this command stores.
 * cudadvise-kernels prints one JSON object per GPU and line; its keys are the
 * fields of struct ceilings.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>

#include "base/number.h"
#include "base/paths.h"
#include "cli/calibrate_report.h"
#include "cli/calibration.h"
#include "report/text_util.h"

#include "cli/command.h"

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

static void
print_measured(void *arg, const json_t *item)
{
	struct cli *cli = arg;

	if (!cli->opt.json && !cli->opt.quiet)
		print_ceilings(cli, item);
}

static int
measure(struct cli *cli, json_t *items, struct error *e)
{

	cli_note(cli, "measuring; this takes some seconds a GPU");
	return calibration_measure(items, 0, print_measured, cli, e);
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
