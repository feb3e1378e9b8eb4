/*
 * signals: prints the action of each signal, before and after CUDA is used; has
 * one handler of its own; then dies of SIGTERM.
 */
#include <csignal>
#include <string.h>

#include "check.h"

static volatile sig_atomic_t seen;

static void
handler(int)
{
	seen++;
}

static void
say(const char *when)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
	    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGCHLD,
	    SIGALRM, SIGPROF, SIGUSR1, SIGUSR2 };
	struct sigaction a;
	sigset_t mask;

	printf("%s\n", when);
	if (sigprocmask(SIG_SETMASK, NULL, &mask))
		exit(1);
	for (int s : signals) {
		if (sigaction(s, NULL, &a))
			exit(1);
		printf("  %s: %s, flags %x%s\n", strsignal(s),
		    a.sa_handler == SIG_DFL ? "default" :
		    a.sa_handler == SIG_IGN ? "ignored" :
		    a.sa_handler == handler ? "ours" : "somebody's",
		    (unsigned)a.sa_flags,
		    sigismember(&mask, s) ? ", blocked" : "");
	}
}

int
main(void)
{
	struct sigaction a = {};

	a.sa_handler = handler;
	a.sa_flags = SA_RESTART;
	if (sigaction(SIGUSR1, &a, NULL))
		return 1;
	say("before");
	need_gpu();
	printf("%08x\n", work(0, 500));
	raise(SIGUSR1);
	say("after");
	printf("%08x, %d signal\n", work(0, 500), (int)seen);
	fflush(stdout);
	raise(SIGTERM);
	printf("alive\n");
	return 1;
}
