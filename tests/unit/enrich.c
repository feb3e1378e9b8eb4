/*
 * What the daemon adds to a finished run: the disassembly of its kernels, in
 * the model, in the capture, and through the service. The disassembler is a
 * script that prints nvdisasm's output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "config/config.h"
#include "base/error.h"
#include "capture/capture.h"
#include "capture/capture_index.h"
#include "capture/enrich.h"
#include "service/service.h"
#include "model/model.h"
#include "store/store.h"
#include "unit/fixtures.h"
#include "unit/test.h"

#define DIR TEST_DIR "/captures/cubins/"
#define KERNEL "_Z1kPKfPfi"
#define RAW "[ $1 = -b ] && exec cat " DIR "t.raw.json\nexit 9"

static char *top, path[200], tool[200], count[200];

static int
set_up(void **state)
{

	(void)state;
	top = fixture_mkdir();
	snprintf(path, sizeof(path), "%s/run.cadv", top);
	snprintf(tool, sizeof(tool), "%s/tool", top);
	/* The only directory that the tool can write to. */
	snprintf(count, sizeof(count), "mkdir -m 700 %s/code; : > %s/code/calls",
	    top, top);
	assert_int_equal(system(count), 0);
	snprintf(count, sizeof(count), "%s/code/calls", top);
	setenv("CUDADVISE_RUNTIME_DIR", top, 1);
	setenv("CUDADVISE_NVDISASM", tool, 1);
	return 0;
}

static int
tear_down(void **state)
{

	(void)state;
	fixture_rmdir(top);
	return 0;
}

/* Every run of the tool, except for its version, appends a byte to ${count}. */
static void
make_tool(const char *script)
{
	FILE *f = fopen(tool, "w");
	char mode[300];

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n[ $1 = --version ] && { echo 'release 13.0, "
	    "V13.0.85'; exit; }\nprintf x >> %s\n%s\n", count, script);
	fclose(f);
	snprintf(mode, sizeof(mode), "chmod 700 %s", tool);
	assert_int_equal(system(mode), 0);
}

/* sys/stat.h does not go with model.h: both have a struct stat. */
static long
size_of(const char *file)
{
	FILE *f = fopen(file, "rb");
	long size;

	if (f == NULL)
		return 0;
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	fclose(f);
	return size;
}

static long
calls(void)
{

	return size_of(count);
}

static size_t
slurp(const char *name, uint8_t *buf, size_t cap)
{
	char file[4096];
	size_t n;
	FILE *f;

	snprintf(file, sizeof(file), DIR "%s", name);
	f = fopen(file, "rb");
	assert_non_null(f);
	n = fread(buf, 1, cap, f);
	fclose(f);
	return n;
}

/* A process that ran ${n} kernels of a cubin. */
static void
make_run(const char *cubin, const char *const *kernel, uint32_t n)
{
	static uint8_t bytes[1u << 16];
	size_t size = cubin == NULL ? 0 : slurp(cubin, bytes, sizeof(bytes));
	struct fixture f;
	uint32_t i;

	fixture_init(&f, 77);
	fixture_hello(&f, FIXTURE_RUN, 12);
	fixture_device(&f);
	if (cubin != NULL) {
		fixture_put_CUBIN(&f, &(struct record_CUBIN){ .id = 5,
		    .size = size });
		fixture_put_BYTES(&f, &(struct record_BYTES){
		    .kind = BYTES_CUBIN, .id = 5, .data = { bytes,
		    (uint32_t)size } });
	}
	for (i = 0; i < n; i++) {
		fixture_signature(&f, i + 1, kernel[i]);
		if (cubin != NULL)
			fixture_put_FUNCTION(&f, &(struct record_FUNCTION){
			    .signature = i + 1, .cubin = 5,
			    .name = wire_str_of(kernel[i]) });
		fixture_kernels(&f, i + 1, 10, 100000);
	}
	fixture_bye(&f);
	fixture_flush(&f);
	unlink(path);
	fixture_write(&f, path, f.len);
	fixture_free(&f);
}

static void
make_one(void)
{
	static const char *const kernel[] = { KERNEL };

	make_run("t.cubin", kernel, 1);
}

/* Load, enrich, settle. ${keep}: also into the capture. */
static const struct run *
enriched(struct model **m, bool keep)
{
	struct capture_index x = { 0 };
	struct capture_writer *w = NULL;
	struct error e = ERROR_INIT;
	const struct run *run;
	size_t frames;

	*m = model_new();
	assert_non_null(*m);
	if (capture_load_file(path, *m, NULL, &x, &e) != 0)
		fail_msg("%s", e.text);
	frames = x.frames;
	if (keep)
		w = capture_writer_open(path, &e);
	if (enrich_model(*m, w, keep ? &x : NULL, &e) != 0)
		fail_msg("%s", e.text);
	if (!keep)
		assert_int_equal(x.frames, frames);
	capture_writer_close(w);
	capture_index_clear(&x);
	run = model_settle(*m, true);
	assert_non_null(run);
	return run;
}

/* The diagnostic about disassembling; there is at most one. */
static const struct diagnostic *
diagnostic_of(const struct run *run)
{
	const struct diagnostic *found = NULL;
	size_t i;

	for (i = 0; i < run->diagnostics; i++)
		if (run->diagnostic[i].code == DIAG_NO_DISASSEMBLER ||
		    run->diagnostic[i].code == DIAG_DISASSEMBLY_FAILED) {
			assert_null(found);
			found = &run->diagnostic[i];
		}
	return found;
}

static void
check_run(const struct run *run, bool disassembled)
{
	const struct code *c;

	assert_int_equal(run->state, RUN_FINISHED);
	assert_int_equal(run->processes, 1);
	assert_int_equal(run->lost, 0);
	assert_string_equal(run->uuid, FIXTURE_RUN);
	assert_int_equal(run->kernels, 1);
	c = run->kernel[0].code;
	assert_non_null(c);
	assert_int_equal(c->disassembled, disassembled);
	if (disassembled)
		assert_int_equal(c->sass.instructions, 0x700 / 16);
	else
		assert_non_null(c->no_sass);
}

static long
size_of_capture(void)
{

	return size_of(path);
}

TEST_WITH(into_the_capture, set_up, tear_down)
{
	struct capture_origin o;
	struct error e = ERROR_INIT;
	const struct run *run;
	struct model *m;
	long size;

	make_tool(RAW);
	make_one();
	size = size_of_capture();
	/* In the model only. */
	check_run(run = enriched(&m, false), true);
	assert_null(diagnostic_of(run));
	model_free(m);
	assert_int_equal(size_of_capture(), size);
	assert_int_equal(calls(), 1);
	/* And in the capture. */
	run = enriched(&m, true);
	check_run(run, true);
	model_free(m);
	assert_true(size_of_capture() > size);
	assert_int_equal(calls(), 2);
	/* A second reader needs no disassembler, and adds nothing. */
	size = size_of_capture();
	run = enriched(&m, true);
	check_run(run, true);
	model_free(m);
	assert_int_equal(calls(), 2);
	assert_int_equal(size_of_capture(), size);
	setenv("CUDADVISE_NVDISASM", "", 1);
	run = enriched(&m, false);
	check_run(run, true);
	assert_null(diagnostic_of(run));
	model_free(m);
	assert_int_equal(capture_peek(path, &o, &e), 0);
	assert_string_equal(o.run, FIXTURE_RUN);
	assert_int_equal(o.pid, 12);
}

/* The daemon's own stream, at the beginning of the file, and alone in it. */
TEST_WITH(in_any_place, set_up, tear_down)
{
	char first[300], all[300];
	const char *part[2] = { first, path };
	struct capture_index x = { 0 };
	struct capture_writer *w;
	struct error e = ERROR_INIT;
	const struct run *run;
	struct model *m;

	make_tool(RAW);
	make_one();
	snprintf(first, sizeof(first), "%s/first", top);
	snprintf(all, sizeof(all), "%s/all", top);
	m = model_new();
	assert_int_equal(capture_load(path, m, NULL, &e), 0);
	w = capture_writer_open(first, &e);
	assert_non_null(w);
	assert_int_equal(enrich_model(m, w, &x, &e), 0);
	assert_int_equal(x.frames, 1);
	capture_index_clear(&x);
	capture_writer_close(w);
	model_free(m);
	assert_int_equal(capture_concat(part, 2, all, &e), 0);
	setenv("CUDADVISE_NVDISASM", "", 1);
	m = model_new();
	assert_int_equal(capture_load(all, m, NULL, &e), 0);
	check_run(model_settle(m, true), true);
	model_free(m);
	/* A file without the program's streams must not cause errors. */
	m = model_new();
	assert_int_equal(capture_load(first, m, NULL, &e), 0);
	run = model_settle(m, true);
	assert_non_null(run);
	assert_int_equal(run->processes, 0);
	assert_int_equal(run->kernels, 0);
	model_free(m);
}

TEST_WITH(none_there, set_up, tear_down)
{
	static const char *const kernel[] = { KERNEL };
	const struct diagnostic *d;
	const struct run *run;
	struct model *m;
	long size;

	setenv("CUDADVISE_NVDISASM", "", 1);
	make_one();
	size = size_of_capture();
	run = enriched(&m, true);
	check_run(run, false);
	d = diagnostic_of(run);
	assert_non_null(d);
	assert_int_equal(d->count, 1);
	assert_int_equal(d->severity, SEVERITY_INFO);
	assert_int_equal(d->code, DIAG_NO_DISASSEMBLER);
	model_free(m);
	/* The next reader may have a disassembler, so the capture does not say
	 * that there was none. */
	assert_int_equal(size_of_capture(), size);
	/* Without code nothing is reported as missing. */
	make_run(NULL, kernel, 1);
	run = enriched(&m, true);
	assert_null(diagnostic_of(run));
	model_free(m);
}

TEST_WITH(that_fails, set_up, tear_down)
{
	static const char *const missing[] = { "_Z7missingv" };
	const struct diagnostic *d;
	const struct run *run;
	struct model *m;
	long size;

	make_tool("echo 'nvdisasm fatal: cannot' >&2; exit 1");
	make_one();
	size = size_of_capture();
	run = enriched(&m, true);
	check_run(run, false);
	d = diagnostic_of(run);
	assert_non_null(d);
	assert_int_equal(d->code, DIAG_DISASSEMBLY_FAILED);
	assert_non_null(strstr(d->text, "1 of 1 kernels"));
	assert_non_null(strstr(d->text, "fatal: cannot"));
	model_free(m);
	assert_int_equal(size_of_capture(), size);
	/* A kernel name that the cubin does not have; a file that is no cubin. */
	make_run("t.cubin", missing, 1);
	run = enriched(&m, true);
	assert_non_null(diagnostic_of(run));
	model_free(m);
	make_run("t.json", missing, 1);
	run = enriched(&m, true);
	assert_non_null(strstr(diagnostic_of(run)->text, "no cubin"));
	model_free(m);
}

/* If all functions of a cubin at once are too much, they are disassembled in
 * parts, so that only the failing one is missing. */
TEST_WITH(in_halves, set_up, tear_down)
{
	static const char *const kernel[] = { "_Z3twoPKfPfi",
	    "_Z3oneIfEvPKT_PS0_i" };
	const struct diagnostic *d;
	const struct run *run;
	struct model *m;
	size_t i, good = 0;

	/* Symbols 19 and 20 are the kernels. */
	make_tool("[ $1 = -b ] && exit 1\ncase ,$3, in *,20,*) exit 9;; esac\n"
	    "echo '[{},[{\"function-name\":\"_Z3twoPKfPfi\",\"start\":0,"
	    "\"sass-instructions\":[{\"opcode\":\"EXIT\"}]}]]'");
	make_run("m.cubin", kernel, 2);
	run = enriched(&m, false);
	assert_int_equal(run->kernels, 2);
	for (i = 0; i < 2; i++) {
		if (run->kernel[i].code == NULL ||
		    !run->kernel[i].code->disassembled)
			continue;
		good++;
		assert_string_equal(run->kernel[i].mangled, kernel[0]);
	}
	assert_int_equal(good, 1);
	d = diagnostic_of(run);
	assert_non_null(d);
	assert_non_null(strstr(d->text, "1 of 2 kernels"));
	model_free(m);
	/* Without the cubin; three attempts for both, three for one, and one
	 * for the other. */
	assert_int_equal(calls(), 8);
}

/* Prints a listing of ${n} instructions, one of which identifies the function. */
static void
print_listing(FILE *f, size_t n)
{
	size_t i;

	fprintf(f, "echo '[{},[{\"function-name\":\"Unknown\",\"start\":0,"
	    "\"sass-instructions\":[");
	for (i = 0; i < n; i++)
		fprintf(f, "%s{\"opcode\":\"%s\"}", i == 0 ? "" : ",",
		    i == n - 1 ? "EXIT" : "NOP");
	fprintf(f, "]}]]'\n");
}

/* All functions in one run, except one that the tool does not know: it is
 * disassembled from its cubin. */
TEST_WITH(one_unknown, set_up, tear_down)
{
	static const char *const kernel[] = { "_Z3twoPKfPfi",
	    "_Z3oneIfEvPKT_PS0_i" };
	const struct run *run;
	struct model *m;
	char script[200];
	size_t i;
	FILE *f;

	snprintf(script, sizeof(script), "%s/script", top);
	f = fopen(script, "w");
	assert_non_null(f);
	/* Both sections have 0x1080 bytes. */
	fprintf(f, "case $1$(stat -c %%s $4) in -b8448) echo 'at address "
	    "0x1230' >&2; exit 255;;\n-b4224)");
	print_listing(f, 0x1080 / 16);
	fprintf(f, ";;\n-json*) [ $3 = 20 ] || [ $3 = 8,9,19 ] ||\n"
	    "[ $3 = 11,12,20 ] || exit 9\n");
	for (i = 0; i < 2; i++)
		fprintf(f, "n%zu='{\"function-name\":\"%s\",\"start\":0,"
		    "\"sass-instructions\":[{\"opcode\":\"EXIT\"}]}'\n", i,
		    kernel[i]);
	fprintf(f, "echo \"[{},[$n0,$n1]]\";;\n*) exit 8;; esac\n");
	fclose(f);
	snprintf(script, sizeof(script), ". %s/script", top);
	make_tool(script);
	make_run("m.cubin", kernel, 2);
	run = enriched(&m, false);
	assert_null(diagnostic_of(run));
	assert_int_equal(run->kernels, 2);
	for (i = 0; i < 2; i++)
		assert_true(run->kernel[i].code->disassembled);
	assert_int_equal(run->kernel[0].code->sass.instructions +
	    run->kernel[1].code->sass.instructions, 0x1080 / 16 + 1);
	model_free(m);
	assert_int_equal(calls(), 3);
}

/* The tool is stopped when its time is over. */
TEST_WITH(takes_too_long, set_up, tear_down)
{
	const struct diagnostic *d;
	struct timespec from, to;
	const struct run *run;
	struct model *m;

	make_tool("sleep 60");
	make_one();
	clock_gettime(CLOCK_MONOTONIC, &from);
	run = enriched(&m, true);
	clock_gettime(CLOCK_MONOTONIC, &to);
	check_run(run, false);
	d = diagnostic_of(run);
	assert_non_null(d);
	assert_non_null(strstr(d->text, "no more time"));
	model_free(m);
	assert_int_equal(calls(), 1);
	assert_true(to.tv_sec - from.tv_sec < 20);
}

/* --- through the service ------------------------------------------------------ */

static struct config config;

static struct service *
start(const char *socket)
{
	struct service_options o = { .listen_fd = -1, .socket = socket,
	    .state = top, .config = &config };
	struct error e = ERROR_INIT;
	struct service *s;

	config_init(&config);
	config.spool_grace_ms = 300;
	if ((s = service_start(&o, &e)) == NULL)
		fail_msg("%s", e.text);
	return s;
}

/* The run's capture must contain the code and need no disassembler. */
static void
check_stored(struct service *s, int64_t number)
{
	struct error e = ERROR_INIT;
	struct model *m = model_new();
	int fd = service_capture(s, number, &e);
	char name[64];

	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	setenv("CUDADVISE_NVDISASM", "", 1);
	if (capture_load(name, m, NULL, &e) != 0)
		fail_msg("%s", e.text);
	check_run(model_settle(m, true), true);
	model_free(m);
	close(fd);
}

/* A run that was imported, and is analysed again here. */
TEST_WITH(reanalyzed, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	char socket[300];
	struct service *s;
	int64_t number = 0;
	FILE *f;

	snprintf(socket, sizeof(socket), "%s/ingest.sock", top);
	setenv("CUDADVISE_NVDISASM", "", 1);
	make_one();
	s = start(socket);
	f = fopen(path, "rb");
	assert_non_null(f);
	if (service_import(s, fileno(f), &e, &number, NULL) != 0)
		fail_msg("%s", e.text);
	setenv("CUDADVISE_NVDISASM", tool, 1);
	make_tool(RAW);
	if (service_reanalyze(s, number, &e) != STORE_OK)
		fail_msg("%s", e.text);
	assert_int_equal(calls(), 1);
	check_stored(s, number);
	/* The same capture again: what was added stays. */
	rewind(f);
	if (service_import(s, fileno(f), &e, &number, NULL) != 0)
		fail_msg("%s", e.text);
	fclose(f);
	check_stored(s, number);
	service_stop(s);
	config_clear(&config);
}

static void
send_capture(const char *socket_path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static uint8_t buf[1u << 18];
	FILE *f = fopen(path, "rb");
	size_t len;

	assert_non_null(f);
	len = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	snprintf(a.sun_path, sizeof(a.sun_path), "%.107s", socket_path);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(send(fd, buf, len, MSG_NOSIGNAL), len);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	/* Until the daemon has received everything. */
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
	close(fd);
}

/* A run that its program sent, after its end. */
TEST_WITH(live, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	struct store_run r;
	struct service *s;
	char socket[300];
	bool over = false;
	int i;

	snprintf(socket, sizeof(socket), "%s/ingest.sock", top);
	make_tool(RAW);
	make_one();
	s = start(socket);
	send_capture(socket);
	for (i = 0; i < 2000 && !over; i++) {
		usleep(5000);
		if (store_run_find(service_store(s), FIXTURE_RUN, &r, &e) !=
		    STORE_OK)
			continue;
		over = strcmp(r.state, "live") != 0;
		store_run_clear(&r);
	}
	assert_true(over);
	assert_int_equal(calls(), 1);
	check_stored(s, 1);
	service_stop(s);
	config_clear(&config);
}
