#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"
#include "call_site.h"
#include "callback.h"
#include "counters.h"
#include "diag.h"
#include "dispatch.h"
#include "emit.h"
#include "filter.h"
#include "gpu_lock.h"
#include "hook.h"
#include "inject.h"
#include "launch.h"
#include "memory.h"
#include "nvtx.h"
#include "order.h"
#include "sender.h"
#include "signature.h"
#include "target.h"
#include "thread.h"
#include "transport.h"
#include "worker.h"

#define EXIT_WAIT_MS 4000	/* for the last flush, which can hang in CUPTI */
#define SIGNAL_WAIT_MS 1500	/* the same before abort() */
#define GIVE_UP_MS 200		/* to report that nothing can be measured */

static uint64_t
random_u64(void)
{
	struct timespec ts;
	uint64_t v = 0;
	int fd;

	if ((fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC)) != -1) {
		if (read(fd, &v, sizeof(v)) != sizeof(v))
			v = 0;
		close(fd);
	}
	if (v == 0) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		v = (uint64_t)ts.tv_nsec << 32 ^ (uint64_t)getpid() ^
		    (uint64_t)ts.tv_sec;
	}
	return v != 0 ? v : 1;
}

static void
copy_env(char *out, size_t size, const char *name)
{
	const char *v = getenv(name);

	snprintf(out, size, "%s", v != NULL ? v : "");
}

/* Sets the paths that the launcher would have set, if there was no launcher. */
static void
default_paths(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (inject.socket[0] == '\0' && inject.spool[0] == '\0') {
		if (runtime != NULL && *runtime != '\0')
			snprintf(inject.socket, sizeof(inject.socket),
			    "%s/cudadvise/ingest.sock", runtime);
		else
			snprintf(inject.socket, sizeof(inject.socket),
			    "/tmp/cudadvise-%u/ingest.sock",
			    (unsigned)getuid());
		if (state != NULL && *state != '\0')
			snprintf(inject.spool, sizeof(inject.spool),
			    "%s/cudadvise/spool", state);
		else if (home != NULL)
			snprintf(inject.spool, sizeof(inject.spool),
			    "%s/.local/state/cudadvise/spool", home);
	}
}

static void
read_orders(void)
{
	const char *v;

	copy_env(inject.run, sizeof(inject.run), "CUDADVISE_RUN");
	copy_env(inject.socket, sizeof(inject.socket), "CUDADVISE_SOCKET");
	copy_env(inject.spool, sizeof(inject.spool), "CUDADVISE_SPOOL");
	copy_env(inject.metrics, sizeof(inject.metrics), "CUDADVISE_METRICS");
	copy_env(inject.label, sizeof(inject.label), "CUDADVISE_LABEL");
	inject.level = level_named(getenv("CUDADVISE_LEVEL"));
	if (inject.level == LEVEL_UNKNOWN)
		inject.level = LEVEL_DEFAULT;
	inject.profiles = level_profiles(inject.level);
	inject.budget = order_share(getenv("CUDADVISE_BUDGET"), 0.05);
	inject.max_stall_ns = order_stall(getenv("CUDADVISE_MAX_STALL"));
	inject.replay = (v = getenv("CUDADVISE_REPLAY")) != NULL &&
	    strcmp(v, "1") == 0;
	if ((v = getenv("CUDADVISE_COUNTERS")) != NULL && strcmp(v, "0") == 0)
		target_forgo();
	if (strspn(inject.run, "0123456789abcdef") != 32)
		snprintf(inject.run, sizeof(inject.run), "%016llx%016llx",
		    (unsigned long long)random_u64(),
		    (unsigned long long)random_u64());
	default_paths();
}

/* The command line from /proc, with spaces between its arguments. */
static void
read_command(char *out, size_t size)
{
	ssize_t n = 0;
	int fd;
	size_t i;

	out[0] = '\0';
	if ((fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)) == -1)
		return;
	if ((n = read(fd, out, size - 1)) < 0)
		n = 0;
	close(fd);
	while (n > 0 && out[n - 1] == '\0')
		n--;
	out[n] = '\0';
	for (i = 0; i < (size_t)n; i++)
		if (out[i] == '\0')
			out[i] = ' ';
}

/* The time at which the process started, in CLOCK_REALTIME. /proc has it in ticks since
 * boot. */
static uint64_t
process_start(void)
{
	char buf[1024], *p;
	unsigned long long ticks = 0;
	struct timespec boot, now;
	uint64_t age;
	ssize_t n;
	int fd, i;

	if ((fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	/* The name in parentheses may contain any character; fields are counted from
	 * its end. */
	if ((p = strrchr(buf, ')')) == NULL)
		return 0;
	for (i = 0; i < 20 && p != NULL; i++)
		p = strchr(p + 1, ' ');
	if (p == NULL || sscanf(p, "%llu", &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	age = (uint64_t)boot.tv_sec * 1000000000ull + (uint64_t)boot.tv_nsec -
	    ticks * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec -
	    age;
}

static void
say_hello(void)
{
	char exe[PATH_MAX] = "", cwd[PATH_MAX] = "", command[4096], host[256];
	struct timespec mono;
	struct stat sb;
	ssize_t n;
	struct record_HELLO r = {
		.flags = HELLO_JIT,
		.protocol = WIRE_PROTOCOL, .level = (uint16_t)inject.level,
		.pid = (uint32_t)inject.pid, .ppid = (uint32_t)getppid(),
		.start_ns = process_start(), .now_ns = inject.begin_ns,
		.cupti_version = inject.api.version,
		.driver_version = (uint32_t)inject.api.driver_version };

	clock_gettime(CLOCK_MONOTONIC, &mono);
	r.now_mono_ns = (uint64_t)mono.tv_sec * 1000000000ull +
	    (uint64_t)mono.tv_nsec;
	if (stat("/proc/self/ns/pid", &sb) == 0)
		r.pidns = (uint64_t)sb.st_ino;
	if ((n = readlink("/proc/self/exe", exe, sizeof(exe) - 1)) > 0)
		exe[n] = '\0';
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		cwd[0] = '\0';
	if (gethostname(host, sizeof(host)) != 0)
		host[0] = '\0';
	host[sizeof(host) - 1] = '\0';
	read_command(command, sizeof(command));
	r.run = wire_str_of(inject.run);
	r.library = wire_str_of(CUDADVISE_VERSION);
	r.host = wire_str_of(host);
	r.exe = wire_str_of(exe);
	r.command = wire_str_of(command);
	r.cwd = wire_str_of(cwd);
	r.label = wire_str_of(inject.label);
	EMIT(HELLO, &r);
}

/* Send the last data, waiting for a few seconds at most. Called at exit; a second call
 * does nothing. */
static void
finish(enum wire_bye reason)
{
	int on = INJECT_ON, cancel;

	if (getpid() != inject.pid || !atomic_compare_exchange_strong(
	    &inject.state, &on, INJECT_FINISHING))
		return;
	/* Waiting is a cancellation point; exit() is none. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sender_finish(reason, reason == BYE_SIGNAL ? SIGNAL_WAIT_MS :
	    EXIT_WAIT_MS);
	pthread_setcancelstate(cancel, NULL);
}

static void
at_exit(void)
{

	/* CUDA is torn down after this: none of our threads may be inside it. */
	counters_close();
	finish(BYE_EXIT);
}

/* CUDA does not work in a forked child, and the child does not have our threads. */
static void
in_child(void)
{

	atomic_store(&inject.state, INJECT_OFF);
	emit_fork_child();
	sender_fork_child();
	gpu_lock_fork_child();
	worker_fork_child();
}

/* Both NVTX, which may come first, and the driver need the one CUPTI. */
static int
load_cupti(char *why, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int r = DIAG_NONE;

	pthread_mutex_lock(&lock);
	if ((!inject.api.loaded || inject.api.cuDriverGetVersion == NULL) &&
	    (r = dispatch_refused(why, size)) == DIAG_NONE)
		r = cupti_api_load(&inject.api, why, size);
	pthread_mutex_unlock(&lock);
	return r;
}

/* Reports a failure from the calling thread, since there is no sender thread. */
static void
give_up(const char *what, int error)
{
	struct record_BYE r = { .reason = BYE_DETACH };
	char text[160];

	snprintf(text, sizeof(text), "nothing of this process is measured: %s: "
	    "%s", what, strerrordesc_np(error));
	diag_report(DIAG_CALL_FAILED, SEVERITY_ERROR, (uint32_t)error, what,
	    text);
	r.now_ns = inject_now();
	r.records = emit_count() + 1;
	EMIT(BYE, &r);
	transport_add(emit_take(1));
	transport_finish(GIVE_UP_MS);
}

/*
 * Starts the library. No signal handler is installed, so that the program's signals
 * work as without the library. Records are sent all the time (sender.c); those of the
 * last moments of a killed program are lost.
 */
static void
start(void)
{
	char why[512] = "";
	unsigned others;
	int r, error;

	inject.pid = getpid();
	inject.begin_ns = inject_now();
	inject.stream = random_u64();
	read_orders();
	emit_init(inject.stream);
	if (!filter_read(getenv("CUDADVISE_KERNEL"),
	    getenv("CUDADVISE_LAUNCHES")))
		diag_report(DIAG_CALL_FAILED, SEVERITY_WARNING, 0,
		    "CUDADVISE_KERNEL", "not a valid regular expression: all "
		    "kernels are measured");
	r = load_cupti(why, sizeof(why));
	say_hello();
	if (signature_init() != 0 || launch_init() != 0) {
		give_up("no memory for tables", ENOMEM);
		return;
	}
	memory_init();
	call_site_init();
	/* The sender starts in any case: it reports what failed. */
	if ((error = sender_start()) != 0) {
		give_up("no thread of its own", error);
		return;
	}
	pthread_atfork(NULL, NULL, in_child);
	atexit(at_exit);
	hook_exit(counters_close, finish);
	atomic_store(&inject.state, INJECT_ON);
	if (r != DIAG_NONE) {
		diag_report((enum wire_diag)r, SEVERITY_ERROR, 0, "CUPTI",
		    why);
		return;
	}
	/* Subscribe first: if another tool has subscribed, CUPTI must not be called
	 * again. */
	others = thread_others();
	if (callback_subscribe() != 0) {
		inject.api.loaded = false;
		return;
	}
	activity_start();
	nvtx_ready();
	thread_adopt(others);
}

/* Always 1: an error of ours must not become an error of the driver. */
int
InitializeInjection(void)
{
	static atomic_flag once = ATOMIC_FLAG_INIT;
	int (*sibling)(void), saved = errno;
	fenv_t arithmetic;

	feholdexcept(&arithmetic);	/* relax.h */
	*(void **)&sibling = dispatch_find(__func__);
	if (sibling != NULL)
		sibling();
	else if (!atomic_flag_test_and_set(&once))
		start();
	fesetenv(&arithmetic);
	errno = saved;
	return 1;
}

int
InitializeInjectionNvtx(void *get_export_table)
{
	int (*sibling)(void *);
	char why[512];

	*(void **)&sibling = dispatch_find(__func__);
	if (sibling != NULL)
		return sibling(get_export_table);
	load_cupti(why, sizeof(why));
	return nvtx_begin(get_export_table, inject.api.cuptiNvtxInitialize);
}

int
InitializeInjectionNvtx2(void *get_export_table)
{
	int (*sibling)(void *);
	char why[512];

	*(void **)&sibling = dispatch_find(__func__);
	if (sibling != NULL)
		return sibling(get_export_table);
	load_cupti(why, sizeof(why));
	return nvtx_begin(get_export_table, inject.api.cuptiNvtxInitialize2);
}
