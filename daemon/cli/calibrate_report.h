/* cli/calibrate_report.h: calibrate --report: predicted and achieved gains of
 * the reference pairs. Returns the exit status. */
#ifndef CADV_CLI_CALIBRATE_REPORT_H
#define CADV_CLI_CALIBRATE_REPORT_H

struct cli;

int calibrate_report(struct cli *cli);

#endif
