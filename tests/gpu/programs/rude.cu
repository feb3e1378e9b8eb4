/*
 * rude WHAT: changes its own process while it works on the GPU, as real
 * programs do, and prints whether these changes are still there: files,
 * signals, schedule, cancel, survive, profiler.
 */
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define NUMBERS 4096

/* --- files: closes sockets and files, and opens its own in their place ----------- */

static bool
is_exact(int fd, const char *want)
{
	char got[64];
	ssize_t n = pread(fd, got, sizeof(got), 0);

	return n == (ssize_t)strlen(want) && memcmp(got, want, (size_t)n) == 0;
}

/* Opens an unnamed file with the number ${fd}. */
static void
own_file(int fd, const char *text)
{
	char name[] = "/tmp/rude.XXXXXX";
	int f = mkstemp(name);

	if (f == -1 || unlink(name) != 0 || (f != fd && dup2(f, fd) != fd) ||
	    write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		perror(name);
		exit(1);
	}
	if (f != fd)
		close(f);
}

static void
files(void)
{
	static bool mine[NUMBERS];
	struct stat sb;
	uint32_t h = work(0, 500);
	int exact = 0, all = 0;

	/* The driver's own descriptors are devices, pipes and such. */
	for (int fd = 3; fd < NUMBERS; fd++)
		if (fstat(fd, &sb) == 0 && (S_ISSOCK(sb.st_mode) ||
		    S_ISREG(sb.st_mode))) {
			close(fd);
			mine[fd] = true;
		}
	for (int fd = 3; fd < NUMBERS; fd++)
		if (mine[fd])
			own_file(fd, "the program's own\n");
	for (int i = 0; i < 20; i++)
		h ^= work(0, 500) + i;
	for (int fd = 3; fd < NUMBERS; fd++)
		if (mine[fd]) {
			all++;
			exact += is_exact(fd, "the program's own\n");
		}
	printf("files: %s, %08x\n", exact == all ? "exact" : "CHANGED", h);
}

/* --- signals: their actions ----------------------------------------------- */

static void
signals(void)
{
	static const int looked[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT,
	    SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGUSR1, SIGPIPE };
	struct sigaction sa;
	uint32_t h = work(0, 500);

	for (int s : looked)
		if (sigaction(s, NULL, &sa) == 0)
			printf("signal %d: %s, flags %x\n", s, sa.sa_handler ==
			    SIG_DFL ? "default" : sa.sa_handler == SIG_IGN ?
			    "ignored" : "caught", (unsigned)sa.sa_flags);
	printf("%08x\n", h);
}

/* --- schedule: real-time priority if allowed, on one processor ------------------ */

static void
schedule(void)
{
	struct sched_param p = {};
	cpu_set_t one;

	p.sched_priority = 10;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setscheduler(0, SCHED_FIFO, &p);
	printf("%08x\n", work(0, 5000));
}

/* --- cancel: a launching thread is cancelled, repeatedly ------------------------- */

static void *
launch_for_ever(void *cookie)
{
	volatile bool *begun = (volatile bool *)cookie;
	uint32_t *device;

	CHECK(cudaMalloc(&device, WORDS * sizeof(*device)));
	CHECK(cudaMemset(device, 0, WORDS * sizeof(*device)));
	for (;;) {
		for (int i = 1; i <= 64; i++)
			stir_all<<<WORDS / 256, 256>>>(device, WORDS, i);
		*begun = true;
		/* CUDA calls must not be cancelled inside. */
		pthread_testcancel();
	}
	return NULL;
}

static void
cancel(void)
{
	for (int i = 0; i < 5; i++) {
		volatile bool begun = false;
		pthread_t t;

		if (pthread_create(&t, NULL, launch_for_ever,
		    (void *)&begun) != 0)
			abort();
		while (!begun)
			usleep(1000);
		usleep(50000);
		pthread_cancel(t);
		pthread_join(t, NULL);
		CHECK(cudaDeviceSynchronize());
	}
	printf("%08x\n", work(0, 1000));
}

/* --- survive: abort does not end it ----------------------------------------------- */

static sigjmp_buf back;

static void
jump(int)
{
	siglongjmp(back, 1);
}

static void
survive(void)
{
	uint32_t h = work(0, 500);

	signal(SIGABRT, jump);
	if (sigsetjmp(back, 1) == 0)
		abort();
	printf("%08x %08x\n", h, work(0, 700));
}

/* --- profiler: requests CUPTI's records for itself, if CUPTI is loaded
 * ------------- */

typedef void request(uint8_t **, size_t *, size_t *);
typedef void complete(void *, uint32_t, uint8_t *, size_t, size_t);

static void
requested(uint8_t **data, size_t *size, size_t *most)
{
	*size = 1 << 20;
	*data = (uint8_t *)aligned_alloc(64, *size);
	*most = 0;
}

/* Some of the buffers are not this program's. */
static void
completed(void *, uint32_t, uint8_t *, size_t, size_t)
{
}

static void
profiler(void)
{
	void *cupti = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD);
	int (*take)(request *, complete *) = NULL;
	uint32_t h = work(0, 500);

	if (cupti != NULL)
		*(void **)&take = dlsym(cupti, "cuptiActivityRegisterCallbacks");
	if (take != NULL)
		take(requested, completed);
	fprintf(stderr, "CUPTI is %s\n", take != NULL ? "there" : "not there");
	h ^= work(0, 5000);
	CHECK(cudaDeviceSynchronize());
	printf("%08x\n", h);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} table[] = {
		{ "files", files }, { "signals", signals },
		{ "schedule", schedule }, { "cancel", cancel },
		{ "survive", survive }, { "profiler", profiler },
	};

	for (const auto &row : table)
		if (argc == 2 && strcmp(argv[1], row.name) == 0) {
			need_gpu();
			row.run();
			return 0;
		}
	fprintf(stderr, "usage: rude files|signals|schedule|cancel|survive|"
	    "profiler\n");
	return 2;
}
