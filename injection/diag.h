/*
 * diag.h: reports what goes wrong in measuring. Each (code, error, where) is reported
 * once. Any thread.
 */
#ifndef CADV_DIAG_H
#define CADV_DIAG_H

#include <stdint.h>

#include "wire/record.h"

/* diag_report(code, severity, error, where, text): emit a DIAGNOSTIC. ${error} is the
 * error code of CUPTI or CUDA; 0: none. */
void diag_report(enum wire_diag code, enum wire_severity severity,
    uint32_t error, const char *where, const char *text);

/* diag_cupti(where, r): report that CUPTI refused ${where} with error ${r}, with the
 * cause and the remedy if they are known for this error. */
void diag_cupti(const char *where, int r);

/* diag_refused(code, where, r): the same, reported as ${code}: a part of the
 * measurement is missing because CUPTI refused ${where}. */
void diag_refused(enum wire_diag code, const char *where, int r);

#endif
