/*
 * gpu_lock.h: one process at a time measures a GPU. Two that hold the profilers of
 * one GPU spoil it for each other: measured on an H200, PC sampling in the child
 * of a program whose own profiler was enabled failed, and CUPTI gave that child
 * no record of its launches any more.
 */
#ifndef CADV_GPU_LOCK_H
#define CADV_GPU_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * gpu_lock_take(device): may this process measure on ${device} from now on? False
 * while another one does. Each true is given back by one gpu_lock_release(device), and
 * all by the end of the process. After a refusal nobody is asked for a while. Any thread.
 */
bool gpu_lock_take(uint32_t device);
void gpu_lock_release(uint32_t device);

/* gpu_lock_fork_child(): in a forked child: what its parent claimed is not its own. */
void gpu_lock_fork_child(void);

#endif
