/*
 * sanitizer/parts.h: shared by the files of this folder and nobody else.
 */
#ifndef CADV_SANITIZER_PARTS_H
#define CADV_SANITIZER_PARTS_H

#include <stdbool.h>

#include "wire/record.h"

/* kind_severity(line, severity): ${line} without its "Error: ", "WARN:" …; an
 * error without one. */
struct wire_str kind_severity(struct wire_str line,
    enum wire_severity *severity);

/* kind_of(line, kind): does a report begin with this line? */
bool kind_of(struct wire_str line, enum wire_defect *kind);

#endif
