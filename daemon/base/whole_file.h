/*
 * base/whole_file.h: replaces a file whole or not at all: the new contents are written
 * to a file beside it, whose random name nobody can have put a link at, and which is
 * renamed when it is complete. A device, a pipe or a link (/dev/null, /dev/stdout) is
 * written to as it is, and stays what it is. One thread at a time.
 */
#ifndef CADV_WHOLE_FILE_H
#define CADV_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct error;

struct whole_file {
	const char *path;	/* borrowed */
	char *part;		/* NULL: ${file} is at ${path} itself */
	FILE *file;		/* write here */
};

/* whole_file_open(w, path, e): 0; -1 with ${e} (may be NULL) set: there is nothing to
 * close then. */
int whole_file_open(struct whole_file *w, const char *path, struct error *e);

/* whole_file_close(w, keep, e): with ${keep}, replace the file at ${path} and return 0,
 * or return -1 with ${e} (may be NULL) set: the old file is untouched. Without ${keep},
 * discard what was written and return -1; ${e} is not set. */
int whole_file_close(struct whole_file *w, bool keep, struct error *e);

#endif
