/*
 * base/error.h: an error with its remedy, filled where it is detected. The first error
 * wins and later ones are ignored, so that a caller cannot hide the cause.
 */
#ifndef CADV_ERROR_H
#define CADV_ERROR_H

/* Callers decide by this code. The text is for people only. */
enum error_code {
	ERROR_OTHER,
	ERROR_NOT_FOUND,	/* errno ENOENT, ENOTDIR */
	ERROR_PERMISSION,	/* EACCES, EPERM, EROFS */
	ERROR_NO_SPACE,		/* ENOSPC, EDQUOT */
	ERROR_MEMORY,		/* ENOMEM */
	ERROR_BUSY,		/* try again in a moment */
	ERROR_INVALID,		/* damaged, or not what was expected */
	ERROR_TOO_NEW		/* written by a newer version */
};

struct error {
	int set;
	enum error_code code;
	char text[512];		/* "cannot open '/x/y': No such file" */
	char remedy[256];	/* "check the path"; "" if there is none */
};

#define ERROR_INIT { 0, ERROR_OTHER, "", "" }

/* error_set(e, fmt, …): store the message unless ${e} has one already. If ${fmt} ends
 * in ':', strerror(errno) is appended and the code is that of errno; else the code is
 * ERROR_OTHER. Always returns -1. ${e} may be NULL. */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* error_code(e, code, fmt, …): the same, with the caller's ${code}. */
int error_code(struct error *e, enum error_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* error_memory(e): ERROR_MEMORY, "out of memory". */
int error_memory(struct error *e);

/* error_remedy(e, fmt, …): store what the user can do, unless ${e} has a remedy
 * already. Always returns -1. ${e} may be NULL. */
int error_remedy(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
