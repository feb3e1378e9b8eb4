/*
 * decode.h: turns one CUPTI activity record into one wire record. Sender thread only.
 * The record layouts are the oldest of this CUDA major that have the fields we read
 * (cupti_api.h); cupti_api_load refuses another major, and newer layouts only append.
 */
#ifndef CADV_DECODE_H
#define CADV_DECODE_H

#include <stdint.h>

#include "cupti_api.h"

/* decode_record(a): emit ${a} as a wire record; kinds that were not enabled are
 * ignored. */
void decode_record(const CUpti_Activity *a);

/* decode_last(ns): the last flush begins at ${ns} (inject_now): the program waits for it,
 * not for those before. */
void decode_last(uint64_t ns);

#endif
