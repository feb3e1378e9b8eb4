/*
 * diag.h: diagnostics of the measurement. Each (code, error, where) is reported
 * once. Any thread.
 */
#ifndef CADV_DIAG_H
#define CADV_DIAG_H

#include <stdint.h>

#include "wire/record.h"

/* diag_report(code, severity, error, where, text): emit a DIAGNOSTIC. ${error}
 * is the CUPTI or CUDA code, 0 if there is none. */
void diag_report(enum wire_diag code, enum wire_severity severity,
    uint32_t error, const char *where, const char *text);

/* diag_cupti(where, r): report that CUPTI refused ${where} with ${r}, with the
 * cause and the remedy that are known for this code. */
void diag_cupti(const char *where, int r);

/* diag_refused(code, where, r): the same under the caller's ${code}: a part of
 * the measurement is missing because CUPTI refused ${where}. */
void diag_refused(enum wire_diag code, const char *where, int r);

#endif
