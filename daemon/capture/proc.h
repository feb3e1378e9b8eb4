/*
 * capture/proc.h: identifies processes of this machine, although pids are
 * reused. Internal to capture/.
 */
#ifndef CADV_PROC_H
#define CADV_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
	pid_t pid;		/* 0: unknown */
	uint64_t start;		/* ticks from boot to its start; 0: unknown */
	bool gone;
};

/* Start time of a process, from its HELLO: each 0 if unknown. */
struct proc_birth {
	uint64_t start_ns;	/* CLOCK_REALTIME of the start */
	uint64_t now_ns, now_mono_ns;	/* time of the HELLO */
};

/* proc_of(pid): the process that has this pid now. */
struct proc proc_of(pid_t pid);

/*
 * proc_born(pid, b): the process that had this pid, in this pid namespace, when
 * it sent ${b}. The process that has the pid now is the same one if their start
 * times agree in CLOCK_REALTIME (wrong if the clock was set) or in the time
 * since boot (wrong after a reboot).
 */
struct proc proc_born(pid_t pid, const struct proc_birth *b);

/* proc_alive(p): 1, 0, or -1 if unknown. A zombie is not alive. */
int proc_alive(const struct proc *p);

#endif
