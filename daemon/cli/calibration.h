/*
 * cli/calibration.h: measuring the peak rates of this machine's GPUs with the
 * reference kernels, and where the results are kept: one file per GPU in the
 * state directory. Started by `cudadvise calibrate`, or once by the first run
 * on a GPU without known rates.
 */
#ifndef CADV_CLI_CALIBRATION_H
#define CADV_CLI_CALIBRATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cli;
struct error;

/* calibration_directory(out, e): their directory (PATH_MAX bytes), created if
 * necessary. -1 with ${e} set. */
int calibration_directory(char *out, struct error *e);

/* calibration_uuid(out, uuid): the 32 lower-case hexadecimal digits of the file
 * name, from "GPU-8a2f…-…" or plain digits; -1 if ${uuid} is neither, or NULL. */
int calibration_uuid(char out[33], const char *uuid);

/*
 * calibration_measure(items, limit_ns, each, arg, e): measure, store, and append
 * each GPU's object to ${items}; ${each} (may be NULL) is called with it. With a
 * ${limit_ns} (0: none) the runner is killed then, and its messages are suppressed.
 * -1 with ${e} set if it failed or was killed; results stored by then stay.
 */
int calibration_measure(json_t *items, uint64_t limit_ns,
    void (*each)(void *arg, const json_t *item), void *arg, struct error *e);

/*
 * calibration_first(cli): if the driver lists a GPU without known rates (not
 * measured here, and no file for its model ships), and no GPU is in use,
 * measure it within some seconds. Only tried once, whether it works or not.
 * True if something was stored. SIGINT ends the measuring, not us.
 */
bool calibration_first(struct cli *cli);

/* calibration_ships(model): write into ${model} the name of a GPU of this
 * machine for whose model ceilings ship; false if there is none, or another GPU
 * without such a file. */
bool calibration_ships(char model[96]);

#endif
