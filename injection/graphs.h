/*
 * graphs.h: whether the program runs CUDA graphs, or will. CUPTI must not turn a
 * context's profiler off, and on again, between counts by instruction and a graph: the
 * graph's first launch then crashes in the driver.
 *
 * Seen with JAX on H100s (CUDA 13.0, driver 580): in 12 of 13 runs in which one kernel
 * or more had been counted by instruction before the profiler was switched to the
 * second configuration, cuGraphLaunch read address 0. In none of 2 without that switch,
 * of 2 in which the counts came behind it, and of 4 without counts by instruction.
 */
#ifndef CADV_GRAPHS_H
#define CADV_GRAPHS_H

#include <stdbool.h>

/* graphs_seen(): the program makes, captures or launches a graph. Any thread. */
void graphs_seen(void);

/* graphs_likely(): whether graphs_seen was called, or a library is loaded that is known
 * to make graphs, long after its first kernels. Looks at the loaded libraries once a
 * second at most. Any thread. */
bool graphs_likely(void);

/*
 * graphs_by_xla(): is XLA loaded, which makes graphs of what it compiles and changes them
 * from launch to launch ("command buffers"), unless the user has switched that off by
 * XLA_FLAGS=--xla_gpu_enable_command_buffer= ? CUPTI must not trace copies beside them.
 *
 * Seen with JAX 0.11.2 on H200s (CUDA 13.0, driver 580): with records of copies, also
 * between GPUs, an LSTM's training ended by signal 11 in cuGraphLaunch or computed NaN in
 * 9 of 10 runs, whatever else was recorded; without one of the two kinds in none of 9. A
 * solver of differential equations ended by CUDA_ERROR_LAUNCH_FAILED (SKEDCHECK in the
 * driver's log) in 8 of 9 with records of copies and memsets; in none of 4 of the first
 * 10 s without both. Looks as graphs_likely does. Any thread.
 */
bool graphs_by_xla(void);

#endif
