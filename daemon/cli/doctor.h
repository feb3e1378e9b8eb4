/*
 * cli/doctor.h: one check for each thing that measuring needs. To add one: a
 * function and its row in doctor_checks (doctor.c).
 */
#ifndef CADV_CLI_DOCTOR_H
#define CADV_CLI_DOCTOR_H

#include <stddef.h>

enum verdict_level { CHECK_OK, CHECK_WARN, CHECK_FAIL };

struct check_result {
	enum verdict_level level;
	char text[512];		/* what was found */
	char remedy[512];	/* what to do; "": nothing */
};

struct check {
	const char *name;
	void (*run)(struct check_result *r);
};

/* doctor_cupti(r): is the CUPTI of each injection library there? doctor_injection(r):
 * which injection library will programs get? (doctor_cupti.c) */
void doctor_cupti(struct check_result *r);
void doctor_injection(struct check_result *r);

extern const struct check doctor_checks[];
extern const size_t doctor_check_count;

#endif
