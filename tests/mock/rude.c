/*
 * rude.c: programs that manipulate their own process as real programs do, and
 * check that their changes survive. Like target.c they drive the mock as a CUDA
 * program drives the driver; their output is checked in host.bats.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cupti.h>

#include "mock.h"

#define FLOAT (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)
#define KERNELS 8
#define NUMBERS 4096	/* descriptors that are checked */
#define FILES 40	/* files of the program's own, with the lowest
			 * numbers */

static struct mock_function function[2 * KERNELS];
static unsigned first;	/* first kernel that is launched */
static struct mock_context *context;

static void
launch(unsigned long n)
{
	unsigned i = (unsigned)(n % KERNELS) + first;
	struct mock_launch l = { .function = &function[i],
	    .grid = { i + 1, 1, 1 }, .block = { 64, 1, 1 } };

	if (mock_kernel_launch(context, &l) != 0) {
		fprintf(stderr, "rude: a launch failed\n");
		_exit(99);
	}
}

static void
launches(unsigned long n, unsigned long pause_us)
{
	struct timespec t = { 0, (long)pause_us * 1000 };
	unsigned long i;

	for (i = 0; i < n; i++) {
		launch(i);
		if (pause_us > 0)
			nanosleep(&t, NULL);
	}
}

static void
begin(void)
{
	const char *why = "";
	unsigned i;

	for (i = 0; i < 2 * KERNELS; i++) {
		snprintf(function[i].name, sizeof(function[i].name),
		    i < KERNELS ? "_Z7kernel%uPf" : "_Z6later%uPf",
		    i % KERNELS);
		function[i].regs = 32;
		function[i].duration_ns = 2000;
	}
	if (mock_init(&why) < 0)
		fprintf(stderr, "rude: %s\n", why);
	context = mock_context_create(0);
}

/* Opens a file of the program's own with the number ${fd}. */
static void
own_file(int fd)
{
	char name[32], text[32];
	int f, n;

	snprintf(name, sizeof(name), "own.%d", fd);
	n = snprintf(text, sizeof(text), "this is file %d\n", fd);
	f = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (f == -1 || (f != fd && dup2(f, fd) != fd) ||
	    write(fd, text, (size_t)n) != n) {
		fprintf(stderr, "rude: %s: %s\n", name, strerror(errno));
		exit(98);
	}
	if (f != fd)
		close(f);
}

/* Whether the file is open and has the contents that were written. */
static int
is_exact(int fd)
{
	char want[32], got[64];
	int n = snprintf(want, sizeof(want), "this is file %d\n", fd);

	return pread(fd, got, sizeof(got), 0) == n &&
	    memcmp(want, got, (size_t)n) == 0;
}

/* Closes all descriptors that the program did not open, as a daemon does, and
 * opens files of its own with their numbers. */
static void
rude_files(void)
{
	static char mine[NUMBERS];
	int fd, files = 0, exact = 0;

	begin();
	launches(400, 1000);
	for (fd = 3; fd < NUMBERS; fd++)
		mine[fd] = fcntl(fd, F_GETFD) != -1 || fd < 3 + FILES;
	for (fd = 3; fd < NUMBERS; fd++)
		close(fd);
	for (fd = 3; fd < NUMBERS; fd++)
		if (mine[fd])
			own_file(fd);
	launches(4000, 500);
	for (fd = 3; fd < NUMBERS; fd++)
		if (mine[fd]) {
			files++;
			exact += is_exact(fd);
		}
	printf("%s: %d files\n", files == exact ? "exact" : "CHANGED", files);
}

/* The tid of the library's thread; 0: none. */
static long
our_thread(void)
{
	DIR *d = opendir("/proc/self/task");
	char path[300], name[32] = "";
	struct dirent *e;
	long tid = 0;
	FILE *f;

	while (d != NULL && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
		    e->d_name);
		if ((f = fopen(path, "re")) == NULL)
			continue;
		if (fgets(name, sizeof(name), f) != NULL &&
		    strcmp(name, "cudadvise\n") == 0)
			tid = atol(e->d_name);
		fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return tid;
}

/* Runs at a real-time priority, where allowed, on one processor. */
static void
rude_schedule(void)
{
	struct sched_param p = { .sched_priority = 10 };
	cpu_set_t all, one;
	long tid;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setscheduler(0, SCHED_FIFO, &p);
	begin();
	tid = our_thread();
	launches(100, 0);
	if (tid == 0 || sched_getaffinity((pid_t)tid, sizeof(one), &one) != 0)
		printf("no thread\n");
	else
		printf("%s, %s\n", sched_getscheduler((pid_t)tid) ==
		    SCHED_OTHER ? "ordinary" : "REAL-TIME",
		    CPU_EQUAL(&all, &one) ? "free" : "PINNED");
}

/* The number of bytes of this object's RELRO segment that are writable. */
static int
writable(struct dl_phdr_info *info, size_t size, void *cookie)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from, to, a, b;
	uintptr_t *sum = cookie;
	char line[512], p[5];
	FILE *f;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO ||
		    (f = fopen("/proc/self/maps", "re")) == NULL)
			continue;
		from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		to = (from + info->dlpi_phdr[i].p_memsz) & -page;
		from &= -page;
		while (fgets(line, sizeof(line), f) != NULL) {
			if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &a,
			    &b, p) == 3 && p[1] == 'w' && a < to && b > from)
				*sum += (b < to ? b : to) -
				    (a > from ? a : from);
		}
		fclose(f);
	}
	return 0;
}

static void
rude_tables(void)
{
	uintptr_t sum = 0;

	begin();
	launches(100, 0);
	dl_iterate_phdr(writable, &sum);
	printf("writable: %lu\n", (unsigned long)sum);
	fflush(stdout);
	_exit(3);
}

/* Prints the signals that do not have their default action. */
static void
rude_signals(void)
{
	struct sigaction sa;
	int i, changed = 0;

	begin();
	launches(100, 0);
	for (i = 1; i < SIGRTMIN; i++)
		if (sigaction(i, NULL, &sa) == 0 && (sa.sa_handler != SIG_DFL ||
		    sa.sa_flags != 0)) {
			printf("signal %d is caught\n", i);
			changed++;
		}
	printf("caught: %d\n", changed);
}

/* Ends as soon as its launches are made. */
static void
rude_abort(void)
{

	begin();
	launches(300, 0);
	abort();
}

/* The callbacks of another profiler, as programs have them. CUPTI also passes
 * it the buffers that were requested before it started, and it frees every
 * buffer that it gets. */
static void CUPTIAPI
requested(uint8_t **data, size_t *size, size_t *most)
{

	*data = malloc(1 << 16);
	*size = 1 << 16;
	*most = 0;
}

static void CUPTIAPI
completed(CUcontext c, uint32_t stream, uint8_t *data, size_t size,
    size_t valid)
{

	(void)c, (void)stream, (void)size, (void)valid;
	free(data);
}

/* Starts a profiler of its own during the run. */
static void
profiler(unsigned long kernels)
{

	begin();
	launches(400, 1000);
	cuptiActivityRegisterCallbacks(requested, completed);
	launches(kernels, 0);
	mock_synchronize(context);
	printf("alive\n");
	fflush(stdout);
}

static void
rude_profiler(void)
{

	profiler(500);
}

/* The same, but the program is killed without a final flush. */
static void
rude_profiler_killed(void)
{

	profiler(500);
	sleep(8);
	kill(getpid(), SIGKILL);
}

static void *
launch_for_ever(void *cookie)
{

	while (context != NULL) {
		launches(KERNELS, 0);
		mock_synchronize(context);
		pthread_testcancel();
	}
	return cookie;
}

/* Cancels a thread that launches; another thread then launches other
 * kernels. */
static void
rude_cancel(void)
{
	struct timespec t = { 0, 400000000 };
	pthread_t thread;
	unsigned i;

	begin();
	if (pthread_create(&thread, NULL, launch_for_ever, NULL) != 0)
		abort();
	nanosleep(&t, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	first = KERNELS;
	for (i = 0; i < 400; i++) {
		launch(i);
		mock_synchronize(context);
	}
	printf("alive\n");
}

static jmp_buf back;

static void
jump(int signo)
{

	(void)signo;
	siglongjmp(back, 1);
}

/* Survives abort, by a handler. */
static void
rude_survive(void)
{

	begin();
	signal(SIGABRT, jump);
	launches(300, 0);
	if (sigsetjmp(back, 1) == 0)
		abort();
	launches(300, 0);
	printf("alive\n");
}

/* Lets wrong arithmetic trap, as Fortran programs do, or looks for its traces at
 * the end, as the Fortran runtime does. */
static void
rude_float(void)
{

	feenableexcept(FLOAT);
	begin();
	launches(1000, 500);
	mock_synchronize(context);
	printf("%s, ", fegetexcept() == FLOAT ? "traps" : "CHANGED");
	fedisableexcept(FLOAT);
	feclearexcept(FE_ALL_EXCEPT);
	first = KERNELS;
	launches(1000, 500);
	mock_synchronize(context);
	printf("%s\n", fetestexcept(FE_ALL_EXCEPT) == 0 ? "none" : "RAISED");
	mock_context_destroy(context);
}

/* Destroys a context while its stream waits for the host, so that it is not idle when
 * its first kernel is launched. */
static void
rude_destroy(void)
{
	struct timespec t = { 0, 500000000 };

	begin();
	mock_wait_value(context, 180);
	launch(0);
	mock_context_destroy(context);
	nanosleep(&t, NULL);
	printf("alive\n");
}

/* Makes a thousand contexts one after another, as cudaDeviceReset in a loop does, each
 * with memory that goes with it. */
static void
rude_contexts(void)
{
	unsigned i, k;

	begin();
	for (i = 0; i < 1000; i++) {
		for (k = 0; k < 100; k++)
			mock_malloc(context, 4096);
		launches(10, 0);
		mock_synchronize(context);
		mock_context_destroy(context);
		context = mock_context_create(0);
	}
	printf("alive\n");
}

/* Uses one GPU at first, and then only another one, whose queue never runs empty. */
static void
rude_second(void)
{
	struct timespec t = { 0, 900000 };
	unsigned i;

	begin();
	launches(2000, 0);
	mock_synchronize(context);
	context = mock_context_create(1);
	for (i = 0; i < 2 * KERNELS; i++)
		function[i].duration_ns = 1000000;
	for (i = 0; i < 4000; i++) {
		launch(i);
		nanosleep(&t, NULL);
	}
	mock_synchronize(context);
	printf("alive\n");
}

static void
leave_now(int signo)
{

	(void)signo;
	exit(7);
}

/* Ends by a timer, in the middle of a launch. */
static void
rude_timer(void)
{

	signal(SIGALRM, leave_now);
	begin();
	alarm(1);
	for (;;)
		launches(KERNELS, 0);
}

static void *
launch_late(void *cookie)
{
	struct timespec t = { 0, 200000000 };

	nanosleep(&t, NULL);
	launches(100, 0);
	printf("late\n");
	return cookie;
}

/* Ends with its last thread, long after its first one. */
static void
rude_leader(void)
{
	pthread_t thread;

	begin();
	launches(100, 0);
	if (pthread_create(&thread, NULL, launch_late, NULL) != 0)
		abort();
	pthread_exit(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} table[] = {
	{ "abort", rude_abort },
	{ "cancel", rude_cancel },
	{ "contexts", rude_contexts },
	{ "destroy", rude_destroy },
	{ "files", rude_files },
	{ "float", rude_float },
	{ "leader", rude_leader },
	{ "profiler", rude_profiler },
	{ "profiler-killed", rude_profiler_killed },
	{ "schedule", rude_schedule },
	{ "second", rude_second },
	{ "signals", rude_signals },
	{ "survive", rude_survive },
	{ "tables", rude_tables },
	{ "timer", rude_timer },
};

int
main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(argv[1], table[i].name) == 0) {
			table[i].run();
			return 0;
		}
	fprintf(stderr, "usage: mock-rude WHAT\n");
	return 2;
}
