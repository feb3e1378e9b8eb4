#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "thread.h"

#define STACK_SIZE (8u << 20)	/* glibc's default; CUPTI runs on it */

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

static int
start(const char *name, void *(*run)(void *), int beside)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (beside)
		run_beside(&attr);
	if ((error = pthread_create(&thread, &attr, run, NULL)) == 0)
		pthread_setname_np(thread, name);
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
