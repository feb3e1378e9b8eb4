/* cli/calibrate_report.h: calibrate --report: what was predicted of the
 * reference pairs against what was achieved. Returns the exit status. */
#ifndef CADV_CLI_CALIBRATE_REPORT_H
#define CADV_CLI_CALIBRATE_REPORT_H

struct cli;

int calibrate_report(struct cli *cli);

#endif
