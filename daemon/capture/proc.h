/*
 * capture/proc.h: identifies processes of this machine although pids are reused.
 * Internal to capture/ and service/.
 */
#ifndef CADV_PROC_H
#define CADV_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
	pid_t pid;		/* 0: unknown */
	uint64_t start;		/* clock ticks from boot to the start of the process;
				 * 0: unknown */
	bool gone;
};

/* When a process started, from its HELLO; each 0 if unknown. */
struct proc_birth {
	uint64_t start_ns;	/* CLOCK_REALTIME of the start */
	uint64_t now_ns, now_mono_ns;	/* time of the HELLO */
};

/* proc_of(pid): the process that now has this pid. */
struct proc proc_of(pid_t pid);

/*
 * proc_born(pid, b): the process that had this pid, in this pid namespace, when it sent
 * ${b}. The process that has the pid now is taken for the same one if their start times
 * agree, either in CLOCK_REALTIME (wrong if the clock was set) or in the time since
 * boot (wrong after a reboot); else ${gone} is set.
 */
struct proc proc_born(pid_t pid, const struct proc_birth *b);

/* proc_alive(p): 1 alive, 0 ended (or a zombie), -1 unknown. */
int proc_alive(const struct proc *p);

#endif
