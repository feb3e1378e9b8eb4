/*
 * again.h: runs a launch that was measured once more, so that a kernel that is
 * launched once has what takes several launches: counts by instruction, and the
 * second configuration of the counters.
 *
 * CUPTI's own replay would have to be chosen before the kernel's time is known,
 * cannot be ended, and waits for ever for a kernel that waits for the host. So
 * the launch runs as it is, in the window of the headline, and only what has
 * ended in time, alone on the GPU, with the host held, is launched again: with
 * the arguments of the program's call, which has not returned yet.
 *
 * Why the program does not notice:
 *  - Memory. All that the kernel can write is copied before the launch and
 *    after it, within the device: each further run begins with the first copy,
 *    and at the end the second one is put back. So what the program finds is
 *    what its own launch wrote, whatever the further runs did.
 *  - What the kernel can write is known: every allocation of the context is in
 *    the table of memory.c. Not run again is a kernel that is given a pointer to
 *    anything else, or whose code uses variables of its module, surfaces, or
 *    functions of the driver (printf, malloc, launches); and none in a process
 *    with managed, pinned, mapped, imported or exported memory, modules that
 *    allocate on the device or have larger variables, or several streams, nor
 *    where kernels reach the host's own memory (HMM, ATS).
 *  - The others. No other thread of the program has called CUDA so far; one that
 *    does now is held until the program's memory is as it was. No library is
 *    loaded that lets a network card or a disk write to the GPU's memory.
 *  - The end. A further run begins with the same memory on the same idle GPU as
 *    the one that ended, and its code has no loop that waits for another thread
 *    (again_code.h): it ends, too. Counting by instruction slows it down, by a
 *    known factor, which the budget has to allow.
 *
 * All but again_call by the holder of the window (window.h).
 */
#ifndef CADV_AGAIN_H
#define CADV_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

struct counters_launch;
struct signature;

/* again_call(): in the callback of every call of the program: notes the thread,
 * and holds it while another one's launch runs again. */
void again_call(void);

/*
 * again_keep(l, s, begin): before a launch of ${s} on an idle GPU with the gate
 * closed, in a hold that began at ${begin}: check what the launch has to meet
 * and copy the memory that it can write. Returns SKIP_NONE, or why it is not
 * run again (enum wire_skip). After SKIP_NONE again_finish or again_drop has to
 * follow.
 */
uint32_t again_keep(const struct counters_launch *l,
    const struct signature *s, uint64_t begin);

/* again_kept(): did again_keep return SKIP_NONE for the launch whose window is
 * open? */
bool again_kept(void);

/* again_cost(runs): what ${runs} further runs cost without the kernel. */
uint64_t again_cost(unsigned runs);

/* again_start(): the launch has ended: copy what it wrote. False: it cannot be
 * run again. */
bool again_start(void);

/* again_rewind(): memory as before the launch. again_run(): launch, and wait for
 * the end. False: no further run, again_finish. */
bool again_rewind(void);
bool again_run(void);

/* again_finish(): memory as the program's launch left it; the copies are
 * released. */
void again_finish(void);

/* again_drop(): the kernel has not ended: it is not run again.
 * again_release(): the context is idle: release what again_drop left. */
void again_drop(void);
void again_release(void);

/* again_gone(context): it is destroyed, and the copies in it. */
void again_gone(CUcontext context);

#endif
