/*
 * cli/calibration.h: measuring what this machine's GPUs can do, with the reference
 * kernels, and where it is kept: a file a GPU in the state directory. Asked for by
 * `cudadvise calibrate`, or once by the first run on a GPU that nothing is known of.
 */
#ifndef CADV_CLI_CALIBRATION_H
#define CADV_CLI_CALIBRATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cli;
struct error;

/* calibration_directory(out, e): where they are (PATH_MAX bytes); made if need be. */
int calibration_directory(char *out, struct error *e);

/* calibration_uuid(out, uuid): the 32 lower-case hexadecimal digits that a file is
 * called by, of "GPU-8a2f…-…" or plain digits; -1 if it is neither, or NULL. */
int calibration_uuid(char out[33], const char *uuid);

/*
 * calibration_measure(items, limit_ns, each, arg, e): measure, store, and append
 * each GPU's object to ${items}; ${each} (may be NULL) is called with it. With a
 * ${limit_ns} (0: none) it is ended then, and says nothing itself. -1 with ${e} set
 * if it failed or was ended; what was stored by then stays.
 */
int calibration_measure(json_t *items, uint64_t limit_ns,
    void (*each)(void *arg, const json_t *item), void *arg, struct error *e);

/*
 * calibration_first(cli): if the driver shows a GPU of which nothing is known (not
 * measured here, none of its model among those that ship), and nobody uses one,
 * measure it, within some seconds and once: whether it worked is not asked again.
 * True if something was stored. SIGINT ends the measuring, not us.
 */
bool calibration_first(struct cli *cli);

/* calibration_ships(model): the name of a GPU of this machine of a model whose
 * ceilings ship, in ${model}; false if there is none, or another of which they do
 * not. */
bool calibration_ships(char model[96]);

#endif
