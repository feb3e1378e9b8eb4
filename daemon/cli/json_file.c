#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/whole_file.h"

#include "cli/json_file.h"

int
json_file_write(const char *path, const json_t *j, struct error *e)
{
	struct whole_file w;

	if (whole_file_open(&w, path, e) != 0)
		return -1;
	if (json_dumpf(j, w.file, JSON_COMPACT) == 0 || ferror(w.file)) {
		putc('\n', w.file);
		return whole_file_close(&w, true, e);
	}
	whole_file_close(&w, false, NULL);
	return error_memory(e);
}

int
json_file_read(const char *path, long most, json_t **j)
{
	FILE *f = fopen(path, "re");
	struct stat st;

	*j = NULL;
	if (f == NULL)
		return -1;
	if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= most)
		*j = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	fclose(f);
	return 0;
}
