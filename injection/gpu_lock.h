/*
 * gpu_lock.h: a lock per GPU among processes: one process at a time measures a
 * GPU. Two processes with profilers on one GPU disturb each other: measured on
 * an H200, PC sampling failed in the child of a program whose own profiler was
 * enabled, and CUPTI delivered no records of that child's launches any more.
 */
#ifndef CADV_GPU_LOCK_H
#define CADV_GPU_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * gpu_lock_take(device): may this process measure on ${device} from now on?
 * False while another one does; after a refusal the answer stays false for 20
 * ms without asking again. Counted: each true needs one
 * gpu_lock_release(device); the end of the process releases all. Any thread.
 */
bool gpu_lock_take(uint32_t device);
void gpu_lock_release(uint32_t device);

/* gpu_lock_fork_child(): a forked child does not have its parent's locks. */
void gpu_lock_fork_child(void);

#endif
