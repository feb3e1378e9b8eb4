/*
 * gpu_lock.h: a lock per GPU between processes: only one process at a time measures a
 * GPU. Profilers of two processes on one GPU disturb each other. Measured on an H200:
 * PC sampling failed in the child of a program whose own profiler was enabled, and
 * CUPTI delivered no further records of that child's launches.
 */
#ifndef CADV_GPU_LOCK_H
#define CADV_GPU_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * gpu_lock_take(device): take the lock of ${device}. False if another process has it;
 * for 20 ms after a refusal the answer is false without another attempt. Counted: each
 * true needs one gpu_lock_release(device); the end of the process releases all. Any
 * thread.
 */
bool gpu_lock_take(uint32_t device);
void gpu_lock_release(uint32_t device);

/* gpu_lock_fork_child(): in a forked child, which does not have its parent's locks. */
void gpu_lock_fork_child(void);

#endif
