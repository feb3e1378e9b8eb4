/*
 * base/error.h: an error with its remedy, filled where it is detected. The
 * first error wins; later ones are ignored, so that a caller up the ladder
 * cannot hide the cause.
 */
#ifndef CADV_ERROR_H
#define CADV_ERROR_H

/* What a caller decides by; the text is for people alone. */
enum error_code {
	ERROR_OTHER,
	ERROR_NOT_FOUND,	/* of errno: ENOENT, ENOTDIR */
	ERROR_PERMISSION,	/* EACCES, EPERM, EROFS */
	ERROR_NO_SPACE,		/* ENOSPC, EDQUOT */
	ERROR_MEMORY,		/* ENOMEM */
	ERROR_BUSY,		/* try again in a moment */
	ERROR_INVALID,		/* damaged, or not what is asked for */
	ERROR_TOO_NEW		/* written by a newer version */
};

struct error {
	int set;
	enum error_code code;
	char text[512];		/* "cannot open '/x/y': No such file" */
	char remedy[256];	/* "check the path"; "" if there is none */
};

#define ERROR_INIT { 0, ERROR_OTHER, "", "" }

/* error_set(e, fmt, …): keep the first message; a fmt that ends in ':' has
 * strerror(errno) appended and its code; else the code is ERROR_OTHER. Always
 * returns -1. ${e} may be NULL. */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* error_code(e, code, fmt, …): the same with a code of the caller's. */
int error_code(struct error *e, enum error_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* error_memory(e): ERROR_MEMORY, "out of memory". */
int error_memory(struct error *e);

/* error_remedy(e, fmt, …): what the person can do. Always returns -1. */
int error_remedy(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
