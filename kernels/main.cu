/*
 * main.cu: the command `cudadvise-kernels`.
 *
 * Exit codes: 0 done and right, 1 failed or wrong result, 2 usage, 3 no GPU.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "harness.h"
#include "pairs.h"

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_NO_GPU = 3 };

#define DEFAULT_SEED 20240229

/* The pairs of frameworks are Python programs (frameworks/). */
#define FRAMEWORK_RULE(...)
#define RULE(function, ...) extern const struct pair pair_##function;
#include "rules/engine/rules.def"

/* The pair of each practice, under the practice's name. */
static const struct {
	const char *id;
	const struct pair *pair;
} table[] = {
#define FRAMEWORK_RULE(...)
#define RULE(function, id, ...) { id, &pair_##function },
#include "rules/engine/rules.def"
};
static const size_t pairs = sizeof(table) / sizeof(table[0]);

static const char help[] =
"Usage: cudadvise-kernels NAME --variant bad|good [options]\n"
"       cudadvise-kernels --list [--format text|json]\n"
"       cudadvise-kernels --calibrate\n"
"\n"
"Reference programs: each shows one practice, done badly and done well. The\n"
"rule of the same name must find the bad one and not the good one.\n"
"\n"
"  --variant bad|good  which of the two\n"
"  --repeat N          measure N times (the default depends on the pair)\n"
"  --size N            problem size (see the top of kernels/NAME.cu)\n"
"  --seed S            of the inputs (default 20240229)\n"
"  --once              one measurement, no warm-up: for profilers that replay\n"
"  --no-check          do not compare the results with the CPU's\n"
"  --list              the pairs, with what each is about\n"
"  --format text|json  of --list\n"
"  --calibrate         measure this machine's GPUs; one JSON object a line\n"
"  --help, --version\n"
"\n"
"Exit status: 0 right, 1 failed or wrong result, 2 usage, 3 no usable GPU (or\n"
"no second one, for the pairs that are about several).\n";

enum option_id {
	OPT_VARIANT = 256, OPT_REPEAT, OPT_SIZE, OPT_SEED, OPT_ONCE,
	OPT_NO_CHECK, OPT_LIST, OPT_FORMAT, OPT_CALIBRATE, OPT_HELP, OPT_VERSION
};

static const struct option options[] = {
	{ "variant", required_argument, NULL, OPT_VARIANT },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "no-check", no_argument, NULL, OPT_NO_CHECK },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "calibrate", no_argument, NULL, OPT_CALIBRATE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

struct request {
	struct job job;
	bool variant, list, json, calibrate;
};

static int
usage(const char *what, const char *value)
{
	if (value)
		fprintf(stderr, "cudadvise-kernels: %s: '%s'\n", what, value);
	else if (what)
		fprintf(stderr, "cudadvise-kernels: %s\n", what);
	fprintf(stderr, "Try 'cudadvise-kernels --help'.\n");
	return EXIT_USAGE;
}

/* A whole number in [low, high]; -1 if ${text} is not one. */
static int
number(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
	char *end;
	unsigned long long v;

	if (text[0] < '0' || text[0] > '9')
		return -1;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || *end || v < low || v > high)
		return -1;
	*out = v;
	return 0;
}

/* Take one option; returns 0, or the exit status plus one to leave with. */
static int
take_option(struct request *r, int c, const char *value)
{
	uint64_t v;

	switch (c) {
	case OPT_VARIANT:
		if (strcmp(value, "bad") && strcmp(value, "good"))
			return 1 + usage("no such variant (bad, good)", value);
		r->variant = true;
		r->job.good = !strcmp(value, "good");
		return 0;
	case OPT_REPEAT:
		if (number(value, 1, 1000000, &v))
			return 1 + usage("--repeat: not a number from 1 to "
			    "1000000", value);
		r->job.repeat = (int)v;
		return 0;
	case OPT_SIZE:
		if (number(value, 1, (uint64_t)1 << 31, &v))
			return 1 + usage("--size: not a number from 1 to 2^31",
			    value);
		r->job.size = v;
		return 0;
	case OPT_SEED:
		if (number(value, 0, UINT64_MAX, &v))
			return 1 + usage("--seed: not a whole number", value);
		r->job.seed = v;
		return 0;
	case OPT_FORMAT:
		if (strcmp(value, "text") && strcmp(value, "json"))
			return 1 + usage("no such format (text, json)", value);
		r->json = !strcmp(value, "json");
		return 0;
	case OPT_ONCE:
		r->job.once = true;
		return 0;
	case OPT_NO_CHECK:
		r->job.check = false;
		return 0;
	case OPT_LIST:
		r->list = true;
		return 0;
	case OPT_CALIBRATE:
		r->calibrate = true;
		return 0;
	case OPT_HELP:
		fputs(help, stdout);
		return 1;
	case OPT_VERSION:
		printf("cudadvise-kernels %s\n", CUDADVISE_VERSION);
		return 1;
	default:		/* getopt_long has said why */
		return 1 + usage(NULL, NULL);
	}
}

static int
list(bool json)
{
	if (json)
		printf("[");
	for (size_t i = 0; i < pairs; i++) {
		const char *id = table[i].id;
		const struct pair *p = table[i].pair;

		if (json)
			printf("%s\n  {\"name\": \"%s\", \"rule\": \"%s\", "
			    "\"lesson\": \"%s\", \"metric\": \"%s\", "
			    "\"variants\": [\"bad\", \"good\"]}", i ? "," : "",
			    id, id, p->lesson, p->metric);
		else
			printf("%-30s %s\n", id, p->lesson);
	}
	if (json)
		printf("\n]\n");
	return fflush(stdout) || ferror(stdout) ? EXIT_WRONG : 0;
}

/* Is there a GPU to work on? Says why not. */
static int
need_gpu(void)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess && n > 0)
		return 0;
	fprintf(stderr, "cudadvise-kernels: no usable GPU: %s%s\n",
	    e == cudaSuccess ? "the driver shows none" : cudaGetErrorString(e),
	    access("/dev/nvidiactl", F_OK) ?
	    "; there is no /dev/nvidiactl (no NVIDIA driver is loaded, or the "
	    "container was started without a GPU)" : "");
	return EXIT_NO_GPU;
}

static void
print_result(const struct job *job)
{
	double s = job->median_s;

	printf("%s %s: median %.4g ms of %d, least %.4g ms", job->name,
	    job->good ? "good" : "bad", s * 1e3, job->laps,
	    job->least_s * 1e3);
	if (job->bytes > 0 && s > 0)
		printf(", %.4g GB/s", job->bytes / s / 1e9);
	if (job->operations > 0 && s > 0)
		printf(", %.4g Gop/s", job->operations / s / 1e9);
	if (job->check)
		printf("; %llu values right, largest error %.2g\n",
		    (unsigned long long)job->checked, job->worst);
	else
		printf("; NOT CHECKED\n");
}

static const struct pair *
find_pair(const char *name)
{
	for (size_t i = 0; i < pairs; i++)
		if (!strcmp(table[i].id, name))
			return table[i].pair;
	return NULL;
}

static int
run_pair(const struct pair *pair, struct job *job)
{
	int rc, no_gpu;

	/* Modules loaded in the middle of the work would show as idle time. */
	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	if ((no_gpu = need_gpu()))
		return no_gpu;
	rc = job_init(job);
	if (!rc)
		rc = pair->run(job);
	if (!rc && job->check)
		rc = job_verdict(job);
	if (job_release(job))
		rc = -1;
	if (rc)
		return job->no_gpu ? EXIT_NO_GPU : EXIT_WRONG;
	print_result(job);
	return fflush(stdout) || ferror(stdout) ? EXIT_WRONG : 0;
}

int
main(int argc, char **argv)
{
	const struct pair *pair;
	struct request r = {};
	int c, done, no_gpu;

	r.job.seed = DEFAULT_SEED;
	r.job.check = true;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		if ((done = take_option(&r, c, optarg)))
			return done - 1;
	if (r.list + r.calibrate + (argc - optind) > 1)
		return usage("more than one thing to do", NULL);
	if (r.list)
		return list(r.json);
	if (r.calibrate) {
		if ((no_gpu = need_gpu()))
			return no_gpu;
		return calibrate() ? EXIT_WRONG : 0;
	}
	if (optind == argc)
		return usage("which kernel? (see --list)", NULL);
	pair = find_pair(argv[optind]);
	if (!pair)
		return usage("no such kernel (see --list)", argv[optind]);
	if (!r.variant)
		return usage("which one? --variant bad or --variant good",
		    NULL);
	r.job.name = argv[optind];
	return run_pair(pair, &r.job);
}
