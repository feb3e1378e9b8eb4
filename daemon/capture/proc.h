/*
 * capture/proc.h: processes of this machine, told apart from later ones that
 * were given the same number. Internal to capture/.
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

/* When a process began, by its HELLO: each 0 where it is unknown. */
struct proc_birth {
	uint64_t start_ns;	/* CLOCK_REALTIME of the start */
	uint64_t now_ns, now_mono_ns;	/* when it said so */
};

/* proc_of(pid): the process that has the number ${pid} now. */
struct proc proc_of(pid_t pid);

/*
 * proc_born(pid, b): the process that had the number ${pid} when it said
 * ${b}, of this pid namespace. It is taken for the one that has it now if
 * their starts agree in CLOCK_REALTIME, which survives nothing that sets the
 * clock, or in the time since boot, which survives no boot.
 */
struct proc proc_born(pid_t pid, const struct proc_birth *b);

/* proc_alive(p): 1, 0, or -1 if it cannot be told. A zombie is not. */
int proc_alive(const struct proc *p);

#endif
