#include <stddef.h>

#include "report/format.h"

#define WRITER_PARTS(name) format_##name
#define WRITER_FILE(name) NULL
const struct format format_exported[EXPORTED_FORMATS] = {
#define EXPORTED(name, suffix, type, reads, help)			\
	[EXPORTED_##name] = { #name, suffix, type, WRITER_##reads(name),	\
	    FORMAT_##reads },
#define WRITTEN(id, name, suffix, type, reads, help)			\
	[EXPORTED_##id] = { name, suffix, type, format_##id, FORMAT_##reads },
#include "report/format.def"
};
