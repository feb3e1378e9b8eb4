# An exporter: `cudadvise export --format example`.
add() {
	row daemon/report/format.def 'EXPORTED(example, "txt", "text/plain",
	    "nothing")'
	cat >daemon/http/export_example.c <<-'END'
		#include <string.h>

		#include "http/api.h"

		void
		export_example(struct request *rq, struct response *rs,
		    const struct store_run *run)
		{
			char *text = strdup(run->uuid);

			(void)rq;
			respond_text(rs, 200, "text/plain", text,
			    strlen(run->uuid));
		}
	END
}

works() {
	local said
	program cudadvised daemon/http/export.c daemon/http/export_example.c
	program cudadvise daemon/cli/options.c daemon/cli/cmd_export.c
	said=$("$scratch/bin/cudadvise" export --help |
	    tr -s '[:space:]' ' ') || fail "$said"
	[[ $said == *"example: nothing"* ]] || fail "--help does not tell of it"
	said=$("$scratch/bin/cudadvise" export --format example 2>&1)
	[[ $said == *'export needs RUN'* ]] || fail "--format: $said"
}
