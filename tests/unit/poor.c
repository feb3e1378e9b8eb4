/* Too little memory must be reported as such, and not as a damaged file. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "model/model.h"
#include "unit/fixtures.h"
#include "unit/test.h"
#include "wire/frame.h"
#include "wire/le.h"

/* In a child process with ${kib} KiB more memory than it uses: 1 if it read the
 * file, 0 if it reported that memory ran out. */
static int
read_with(const char *name, unsigned kib)
{
	struct capture_stats stats;
	struct error e = ERROR_INIT;
	struct rlimit r;
	unsigned long pages = 0;
	struct model *m;
	int status;
	pid_t pid;
	FILE *f;

	if ((pid = fork()) != 0) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		return WEXITSTATUS(status);
	}
	/* Memory freed before must not be reused. */
	mallopt(M_MMAP_THRESHOLD, 32768);
	f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%lu", &pages) != 1)
		_exit(9);
	fclose(f);
	m = model_new();
	r.rlim_cur = r.rlim_max = pages * 4096 + ((rlim_t)kib << 10);
	setrlimit(RLIMIT_AS, &r);
	if (capture_load(name, m, &stats, &e) == 0)
		_exit(stats.damaged == 0 && stats.missing == 0 ? 1 : 8);
	_exit(strcmp(e.text, "out of memory") == 0 ? 0 : 7);
}

/* For each amount: it may be too little, but the file is never reported as damaged. */
TEST(little_memory_is_no_damage)
{
	struct capture_writer *w;
	struct error e = ERROR_INIT;
	char name[200], *top;
	struct fixture f;
	unsigned i, step, whole = 0;
	int rc;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip();			/* with a sanitizer memory cannot be limited */
#endif
	top = fixture_mkdir();
	snprintf(name, sizeof(name), "%s/a.cadv", top);
	w = capture_writer_open(name, &e);
	assert_non_null(w);
	fixture_init(&f, 5);
	fixture_hello(&f, FIXTURE_RUN, 1);
	fixture_device(&f);
	fixture_signature(&f, 1, "_Z1fi");
	/* 3.2 MB a frame, without a time in the first: everything must be read. */
	for (i = 0; i < 40000; i++)
		fixture_signature(&f, 2 + i % 9, "_Z7saxpy_kPfS_f");
	fixture_flush(&f);
	fixture_kernels(&f, 1, 40000, 1000);
	fixture_bye(&f);
	fixture_flush(&f);
	for (i = 0; i < f.len; i += FRAME_HEADER_SIZE + le32_get(f.file + i +
	    8))
		assert_int_equal(capture_writer_put(w, f.file + i,
		    FRAME_HEADER_SIZE + le32_get(f.file + i + 8), &e), 0);
	capture_writer_close(w);
	for (step = 0; step < 96; step++) {
		rc = read_with(name, step * 256);
		assert_in_range(rc, 0, 1);
		whole += rc == 1;
	}
	assert_true(whole > 0 && whole < 96);
	fixture_free(&f);
	fixture_rmdir(top);
}
