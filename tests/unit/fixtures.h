/*
 * unit/fixtures.h: synthetic streams for tests. A fixture collects the records
 * of one stream in frames; fixture_flush seals the current frame. ${file} is
 * then a capture, a spool file, or what a target writes to the socket.
 */
#ifndef CADV_FIXTURES_H
#define CADV_FIXTURES_H

#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"

#define FIXTURE_RUN "00112233445566778899aabbccddeeff"
#define FIXTURE_T0 1700000000000000000ull	/* CLOCK_REALTIME, ns */

struct fixture {
	uint64_t stream;
	uint64_t sequence;	/* of the next record */
	uint8_t *file;		/* sealed frames */
	size_t len, cap;
	uint8_t *batch;		/* payload of the current frame */
	size_t batch_len;
	uint32_t batch_records;
	uint64_t now;		/* when the next kernel starts */
};

void fixture_init(struct fixture *f, uint64_t stream);
void fixture_free(struct fixture *f);

/* fixture_put_NAME(f, &r): one record. */
#define RECORD(name, number, doc, fields)				\
	void fixture_put_##name(struct fixture *f,			\
	    const struct record_##name *r);
#include "wire/record.def"

/* Seals the current frame; returns its offset in f->file. */
size_t fixture_flush(struct fixture *f);

/* Common sequences of records. */
void fixture_hello(struct fixture *f, const char *run, uint32_t pid);
void fixture_begin(struct fixture *f, const char *run);	/* launcher */
void fixture_end(struct fixture *f);			/* RUN_END */
void fixture_bye(struct fixture *f);
void fixture_device(struct fixture *f);		/* DEVICE 0, CONTEXT 1 */
void fixture_signature(struct fixture *f, uint32_t id, const char *mangled);
/* ${n} launches of ${signature}, each ${ns} long, with gaps of ${ns}. */
void fixture_kernels(struct fixture *f, uint32_t signature, unsigned n,
    uint64_t ns);

/* A whole process: hello, device, two kernels, ${launches} launches in frames
 * of ${per_frame}, bye. */
void fixture_process(struct fixture *f, const char *run, uint32_t pid,
    unsigned launches, unsigned per_frame);

/* fixture_write(f, path, len): write the first ${len} bytes of f->file to a file. */
void fixture_write(const struct fixture *f, const char *path, size_t len);

/* A new directory in /tmp; fixture_rmdir removes it with its contents. */
char *fixture_mkdir(void);
void fixture_rmdir(char *path);

/* A kernel's name that stands for a type of 2^40 parts: libstdc++ looks for a
 * parameter pack in each of them before it prints anything. */
#define FIXTURE_HARD_NAME \
	"_Z1fDp1AIS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_I" \
	"S_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_IS_I" \
	"S_IS_IiiES0_ES1_ES2_ES3_ES4_ES5_ES6_ES7_ES8_ES9_ESA_ESB_ESC_" \
	"ESD_ESE_ESF_ESG_ESH_ESI_ESJ_ESK_ESL_ESM_ESN_ESO_ESP_ESQ_ESR_" \
	"ESS_EST_ESU_ESV_ESW_ESX_ESY_ESZ_ES10_ES11_ES12_E"

#endif
