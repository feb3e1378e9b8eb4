/*
 * sanitizer/parts.h: declarations private to this folder.
 */
#ifndef CADV_SANITIZER_PARTS_H
#define CADV_SANITIZER_PARTS_H

#include <stdbool.h>

#include "wire/record.h"

/* kind_severity(line, severity): returns ${line} without its prefix ("Error: ", "WARN:"
 * …); a line without a prefix is an error. */
struct wire_str kind_severity(struct wire_str line,
    enum wire_severity *severity);

/* kind_of(line, kind): whether a report begins with this line, and of which kind. */
bool kind_of(struct wire_str line, enum wire_defect *kind);

#endif
