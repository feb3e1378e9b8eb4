# An exporter: `cudadvise export --format example`.
add() {
	row daemon/report/format.def 'EXPORTED(example, "txt", "text/plain", PARTS,
	    "nothing")'
	cat >daemon/report/format_example.c <<-'END'
		#include "report/format.h"
		#include "report/text_util.h"

		int
		format_example(FILE *f, const struct report *r)
		{
			fputs(or_unknown(field_text(r->run, "command")), f);
			return 0;
		}
	END
}

works() {
	local said
	program cudadvised daemon/http/export.c daemon/report/format.c \
	    daemon/report/format_example.c
	program cudadvise daemon/cli/options.c daemon/cli/cmd_export.c \
	    daemon/report/format.c daemon/report/format_example.c
	said=$("$scratch/bin/cudadvise" export --help |
	    tr -s '[:space:]' ' ') || fail "$said"
	[[ $said == *"example: nothing"* ]] || fail "--help does not tell of it"
	said=$("$scratch/bin/cudadvise" export --format example 2>&1)
	[[ $said == *'export needs RUN'* ]] || fail "--format: $said"
}
