#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/stream.h"
#include "sanitizer/log.h"
#include "source/child.h"

#include "cli/sanitize.h"

#define NAME "compute-sanitizer"
#define LOG_MAX (64u << 20)	/* bytes read of a log */
#define NAME_BYTES 2048u	/* kept of a kernel's name */
#define ARGUMENTS 24		/* of the tool's own */

static const struct child_limits help_limits = {
	.ns = 10000000000u, .cpu_seconds = 10, .memory = 4ull << 30,
	.output = 1u << 20,
};

/* --- finding it ------------------------------------------------------------- */

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* Looks below a toolkit, in both places where it may be installed. */
static bool
in_toolkit(char *out, const char *toolkit)
{
	static const char *const places[] = {
		"bin/" NAME, NAME "/" NAME,
	};
	size_t i;

	for (i = 0; toolkit != NULL && toolkit[0] == '/' &&
	    i < sizeof(places) / sizeof(places[0]); i++)
		if (paths_join(out, toolkit, places[i], NULL) == 0 &&
		    is_program(out))
			return true;
	return false;
}

static bool
in_path(char *out)
{
	const char *p = getenv("PATH"), *end;
	int n;

	for (; p != NULL && *p != '\0'; p = *end == '\0' ? end : end + 1) {
		end = strchrnul(p, ':');
		n = snprintf(out, PATH_MAX, "%.*s/" NAME, (int)(end - p), p);
		if (*p == '/' && n > 0 && n < PATH_MAX && is_program(out))
			return true;
	}
	return false;
}

static int
locate(struct sanitize *s, struct error *e)
{
	const char *told = getenv("CUDADVISE_COMPUTE_SANITIZER");

	if (told != NULL && *told != '\0') {
		if (text_copy(s->path, sizeof(s->path), told) == 0 &&
		    is_program(s->path))
			return 0;
		error_set(e, "CUDADVISE_COMPUTE_SANITIZER: '%.200s' is no "
		    "program", told);
		return error_remedy(e, "unset it, and the one in PATH or the "
		    "CUDA toolkit is used");
	}
	if (in_path(s->path) || in_toolkit(s->path, getenv("CUDA_HOME")) ||
	    in_toolkit(s->path, getenv("CUDA_PATH")) ||
	    in_toolkit(s->path, "/usr/local/cuda"))
		return 0;
	error_set(e, NAME " was not found: not in PATH, CUDA_HOME, CUDA_PATH "
	    "or /usr/local/cuda");
	return error_remedy(e, "it is a part of the CUDA toolkit (package "
	    "cuda-sanitizer): install that, or put its directory into PATH");
}

/* The help text tells the version and the known options, which vary between
 * versions. Without it only the oldest options are used. */
static void
ask_help(struct sanitize *s)
{
	char option[] = "--help", *argv[] = { s->path, option, NULL };
	struct error ignored = ERROR_INIT;
	struct child_output o;
	const char *p;
	size_t n;

	if (child_run(s->path, argv, &help_limits, &o, &ignored) != 0)
		return;
	s->help = o.text;
	if ((p = strstr(o.text, "Version ")) == NULL)
		return;
	p += strlen("Version ");
	n = strspn(p, "0123456789.");
	snprintf(s->version, sizeof(s->version), "%.*s",
	    (int)(n < sizeof(s->version) ? n : 0), p);
}

static int
make_directory(struct sanitize *s, struct error *e)
{
	struct error ignored = ERROR_INIT;
	char dir[PATH_MAX];

	if (paths_runtime(dir, &ignored) != 0)
		text_copy(dir, sizeof(dir), "/tmp");
	if (paths_join(s->directory, dir, "sanitize-XXXXXX", e) == 0 &&
	    mkdtemp(s->directory) != NULL)
		return 0;
	s->directory[0] = '\0';
	return error_set(e, "cannot write to '%s':", dir);
}

int
sanitize_find(struct sanitize *s, struct error *e)
{

	memset(s, 0, sizeof(*s));
	if (locate(s, e) != 0)
		return -1;
	ask_help(s);
	return make_directory(s, e);
}

void
sanitize_release(struct sanitize *s)
{

	free(s->help);
	s->help = NULL;
	if (s->directory[0] != '\0')
		rmdir(s->directory);
	s->directory[0] = '\0';
}

/* --- calling it --------------------------------------------------------------- */

#define ALL (~0u)
#define BIT(tool) (1u << TOOL_##tool)

/* Options that we want to differ from the default. */
static const struct {
	unsigned tools;
	const char *name, *value;
} options[] = {
	{ ALL, "--target-processes", "all" },
	{ ALL, "--print-limit", "1000" },
	/* How long to wait for the program's first CUDA call; 0: until it ends. */
	{ ALL, "--launch-timeout", "0" },
	{ ALL, "--strip-paths", "no" },
	{ BIT(MEMCHECK), "--leak-check", "full" },
	{ BIT(MEMCHECK), "--report-api-errors", "explicit" },
};

/* The log's name, with '%' escaped: the tool expands it. */
static int
log_option(char *out, const char *path)
{
	size_t n = 0;

	for (; *path != '\0'; path++) {
		if (n + 3 > PATH_MAX)
			return -1;
		if (*path == '%')
			out[n++] = '%';
		out[n++] = *path;
	}
	out[n] = '\0';
	return 0;
}

/* The whole command line, malloced; its strings are borrowed. */
static char **
command_line(struct sanitize *s, const struct sanitize_job *job,
    const char *log)
{
	size_t count = 0, n = 0, i;
	char **argv;

	while (job->argv[count] != NULL)
		count++;
	if ((argv = calloc(ARGUMENTS + count, sizeof(*argv))) == NULL)
		return NULL;
#define ADD(text) (argv[n++] = (char *)(uintptr_t)(text))
	ADD(s->path);
	ADD("--tool");
	ADD(wire_tool_name(job->tool));
	ADD("--log-file");
	ADD(log);
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if ((options[i].tools & (1u << job->tool)) == 0 ||
		    s->help == NULL || strstr(s->help, options[i].name) == NULL)
			continue;
		ADD(options[i].name);
		ADD(options[i].value);
	}
	ADD(job->program);
	for (i = 1; i < count; i++)
		ADD(job->argv[i]);
#undef ADD
	return argv;
}

/* --- its log -------------------------------------------------------------------- */

/* At most LOG_MAX bytes of the file, malloced; "" if there is none. */
static char *
read_log(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	size_t room = 65536, n = 0, got;
	char *text = malloc(room), *grown;

	while (text != NULL && f != NULL &&
	    (got = fread(text + n, 1, room - n, f)) > 0) {
		n += got;
		if (n < room)
			continue;
		if (room >= LOG_MAX)
			break;
		if ((grown = realloc(text, 2 * room)) == NULL) {
			free(text);
			text = NULL;
			break;
		}
		text = grown;
		room *= 2;
	}
	if (f != NULL)
		fclose(f);
	*len = n;
	return text;
}

static struct wire_str
cut(struct wire_str s)
{

	if (s.len > NAME_BYTES)
		s.len = NAME_BYTES;
	return s;
}

static struct record_DEFECT
defect_of(enum wire_tool tool, const struct sanitizer_report *r)
{

	return (struct record_DEFECT){
		.tool = tool, .kind = r->kind, .severity = r->severity,
		.flags = r->flags, .count = r->count, .address = r->address,
		.bytes = r->bytes,
		.thread_x = r->thread[0], .thread_y = r->thread[1],
		.thread_z = r->thread[2],
		.block_x = r->block[0], .block_y = r->block[1],
		.block_z = r->block[2],
		.line = r->at.line, .kernel_line = r->kernel.line,
		.partner_line = r->partner.line, .site_line = r->site.line,
		.text = cut(r->text), .detail = wire_str_of(r->detail),
		.function = cut(r->at.function), .file = cut(r->at.file),
		.kernel = cut(r->kernel.function),
		.kernel_file = cut(r->kernel.file),
		.partner_file = cut(r->partner.file),
		.site = cut(r->site.function), .site_file = cut(r->site.file),
		.site_object = cut(r->site.object),
	};
}

static enum wire_ran
state_of(const struct sanitizer_log *log, const struct launched *l)
{

	if (l->timed_out)
		return RAN_TIMEOUT;
	if (log->no_gpu)
		return RAN_NO_GPU;
	if (!log->summary)
		return RAN_FAILED;
	return log->program_failed || l->signal != 0 || l->exit_code != 0 ||
	    log->trouble.len > 0 ? RAN_PARTIAL : RAN_DONE;
}

static int
put_log(const struct sanitize *s, enum wire_tool tool,
    const struct sanitizer_log *log, struct run_stream *to, struct sanitized *out,
    struct error *e)
{
	const struct launched *l = &out->end;
	struct record_CHECK c = {
		.tool = tool, .start_ns = l->start_ns, .end_ns = l->end_ns,
		.exit_code = l->exit_code >= 0 ? (uint32_t)l->exit_code : 0,
		.signal = (uint32_t)l->signal,
		.errors = log->errors, .warnings = log->warnings,
		.unreported = log->unreported + log->dropped,
		.version = wire_str_of(s->version), .text = cut(log->trouble),
	};
	struct record_DEFECT d;
	size_t i;

	out->state = state_of(log, l);
	c.state = out->state;
	/* A log that was cut has no summary with a count. */
	if (!log->summary)
		c.errors = log->reports;
	if (stream_check(to, &c, e) != 0)
		return -1;
	for (i = 0; i < log->reports; i++) {
		d = defect_of(tool, &log->report[i]);
		if (stream_defect(to, &d, e) != 0)
			return -1;
	}
	return 0;
}

int
sanitize_run(struct sanitize *s, const struct sanitize_job *job,
    struct run_stream *to, struct sanitized *out, struct error *e)
{
	char path[PATH_MAX], option[PATH_MAX], name[32], *text = NULL, **argv;
	struct launch l = { .path = s->path, .pipe = job->base->pipe,
		.no_input = job->no_input, .limit_ns = job->limit_ns, .ends_all = true };
	struct sanitizer_log log;
	size_t len;
	int rc = -1;

	snprintf(name, sizeof(name), "%s.log", wire_tool_name(job->tool));
	if (paths_join(path, s->directory, name, e) != 0)
		return -1;
	if (log_option(option, path) != 0)
		return error_set(e, "the path '%.100s' is too long", path);
	if ((argv = command_line(s, job, option)) == NULL)
		return error_memory(e);
	l.argv = argv;
	if (launch_run(&l, &out->end, e) != 0)
		goto out;
	if ((text = read_log(path, &len)) == NULL ||
	    sanitizer_read(&log, text, len) != 0) {
		error_memory(e);
		goto out;
	}
	rc = put_log(s, job->tool, &log, to, out, e);
	sanitizer_release(&log);
out:
	unlink(path);
	free(text);
	free(argv);
	return rc;
}
