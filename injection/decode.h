/*
 * decode.h: one CUPTI activity record to one wire record. Sender thread only.
 * The layouts are those of CUPTI 13.0; cupti_api_load refuses another major
 * version, and minor versions append.
 */
#ifndef CADV_DECODE_H
#define CADV_DECODE_H

#include "cupti_api.h"

/* decode_record(a): emit ${a}; kinds that were not enabled are ignored. */
void decode_record(const CUpti_Activity *a);

#endif
