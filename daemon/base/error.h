/*
 * base/error.h: an error with its remedy, filled where it is detected. The
 * first error wins; later ones are ignored, so that a caller up the ladder
 * cannot hide the cause.
 */
#ifndef CADV_ERROR_H
#define CADV_ERROR_H

struct error {
	int set;
	char text[512];		/* "cannot open '/x/y': No such file" */
	char remedy[256];	/* "check the path"; "" if there is none */
};

#define ERROR_INIT { 0, "", "" }

/* error_set(e, fmt, …): keep the first message; a fmt that ends in ':' has
 * strerror(errno) appended. Always returns -1. ${e} may be NULL. */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* error_remedy(e, fmt, …): what the person can do. Always returns -1. */
int error_remedy(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
