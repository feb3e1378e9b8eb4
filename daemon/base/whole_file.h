/*
 * base/whole_file.h: a file that is replaced whole or not at all: it is written beside
 * the wanted one, under a name that nobody can have put a link at, and renamed when it
 * is complete. One thread at a time.
 */
#ifndef CADV_WHOLE_FILE_H
#define CADV_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct error;

struct whole_file {
	const char *path;	/* borrowed */
	char *part;
	FILE *file;		/* to be written to */
};

/* whole_file_open(w, path, e): -1 with ${e} (may be NULL) set; nothing is to close. */
int whole_file_open(struct whole_file *w, const char *path, struct error *e);

/* whole_file_close(w, keep, e): replace the file at ${path}, or, unless ${keep}, leave
 * it as it is. -1 with ${e} (may be NULL) set: it was not replaced. */
int whole_file_close(struct whole_file *w, bool keep, struct error *e);

#endif
