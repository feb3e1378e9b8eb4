#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "thread.h"

#define STACK_SIZE (8u << 20)	/* glibc's default; CUPTI runs on it */

#define KNOWN 64

static _Atomic unsigned ours;	/* threads that run */
/* The threads of the library and CUPTI; some of CUPTI's may have ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t known[KNOWN];
static unsigned knowns;

static bool
is_known(pid_t tid)
{
	unsigned i;

	for (i = 0; i < knowns; i++)
		if (known[i] == tid)
			return true;
	return false;
}

static void
remember(pid_t tid)
{

	pthread_mutex_lock(&lock);
	if (knowns < KNOWN && !is_known(tid))
		known[knowns++] = tid;
	pthread_mutex_unlock(&lock);
}

/* The kernel may give its id to a thread of the program. */
static void
forget(pid_t tid)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < knowns; i++)
		if (known[i] == tid)
			known[i--] = known[--knowns];
	pthread_mutex_unlock(&lock);
}

/*
 * Sets ordinary scheduling and a wide affinity. The calling thread may have a real-time
 * priority and a single processor: a thread that inherited both would take that
 * processor away, or never run. The parent process usually still has the affinity with
 * which this process was started; the kernel masks processors that are not allowed.
 */
static void
run_beside(pthread_attr_t *attr)
{
	const struct sched_param ordinary = { 0 };
	cpu_set_t parents, own;

	pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(attr, SCHED_OTHER);
	pthread_attr_setschedparam(attr, &ordinary);
	pthread_attr_setstacksize(attr, STACK_SIZE);
	if (sched_getaffinity(getppid(), sizeof(parents), &parents) != 0 ||
	    sched_getaffinity(0, sizeof(own), &own) != 0)
		return;
	CPU_OR(&parents, &parents, &own);
	pthread_attr_setaffinity_np(attr, sizeof(parents), &parents);
}

/* What runs in a thread, passed through pthread_create. */
union task {
	void *cookie;
	void *(*run)(void *);
};

static void *
begin(void *cookie)
{
	union task task = { .cookie = cookie };

	/* A thread inherits these settings: if the program lets invalid operations trap,
	 * a value that was not measured (NaN) would kill it. */
	fesetenv(FE_DFL_ENV);
	remember(gettid());
	task.run(NULL);
	forget(gettid());
	atomic_fetch_sub(&ours, 1);
	return NULL;
}

static int
start(const char *name, void *(*run)(void *), int beside)
{
	union task task = { .run = run };
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (beside)
		run_beside(&attr);
	atomic_fetch_add(&ours, 1);
	if ((error = pthread_create(&thread, &attr, begin, task.cookie)) == 0)
		pthread_setname_np(thread, name);
	else
		atomic_fetch_sub(&ours, 1);
	pthread_attr_destroy(&attr);
	return error;
}

int
thread_start(const char *name, void *(*run)(void *))
{
	sigset_t all, old;
	int error;

	/* Signals are to be delivered to the program's threads only. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	/* If these attributes are refused, start the thread with inherited ones. */
	if ((error = start(name, run, 1)) != 0)
		error = start(name, run, 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

unsigned
thread_others(void)
{
	unsigned mine = atomic_load(&ours);
	struct stat sb;

	/* This directory has a link for each thread beside its own two. */
	return stat("/proc/self/task", &sb) == 0 && sb.st_nlink > 2 + mine ?
	    (unsigned)sb.st_nlink - 2 - mine : 0;
}

/* Calls ${visit} for each thread of the process until it returns false. Whether it never
 * did. */
static bool
each_thread(bool (*visit)(pid_t tid))
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	bool all = d != NULL;

	while (all && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			all = visit((pid_t)strtol(e->d_name, NULL, 10));
	if (d != NULL)
		closedir(d);
	return all;
}

static bool
adopt(pid_t tid)
{

	if (tid != gettid())
		remember(tid);
	return true;
}

void
thread_adopt(unsigned before)
{

	if (before == 1)
		each_thread(adopt);
}

bool
thread_first_ended(void)
{
	char c;

	/* What it executed is unknown then. No file is opened, which the program could
	 * see by the number of its next one. */
	return readlink("/proc/self/exe", &c, 1) == -1 && errno == ENOENT &&
	    readlink("/proc/thread-self/exe", &c, 1) == 1;
}

/* Whether it is of the library or CUPTI, or the first thread, which is there until the
 * process ends. */
static bool
is_no_other(pid_t tid)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = tid == getpid() || is_known(tid);
	pthread_mutex_unlock(&lock);
	return is;
}

bool
thread_lonely(void)
{

	return thread_first_ended() && each_thread(is_no_other);
}
