/*
 * callers.h: the threads that made a CUDA call. Others, such as CUPTI's own, do not keep
 * the program waiting.
 */
#ifndef CADV_CALLERS_H
#define CADV_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

/* callers_add(tid): thread ${tid} (inject_tid) makes a CUDA call. Any thread; lock-free. */
void callers_add(uint32_t tid);

/* callers_has(tid): did it make one? True of every thread once there were more than fit. */
bool callers_has(uint32_t tid);

#endif
