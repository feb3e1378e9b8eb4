/*
 * decode.h: one CUPTI activity record to one of ours. Sender thread only. The
 * record layouts are those of CUPTI 13.0; cupti_api_load refuses another major
 * version, and minor versions append.
 */
#ifndef CADV_DECODE_H
#define CADV_DECODE_H

#include "cupti_api.h"

/* decode_record(a): emit what ${a} says; kinds nobody asked for are ignored. */
void decode_record(const CUpti_Activity *a);

#endif
