/* All findings, one per line: for jq, grep and log collectors. */
#include "report/format.h"
#include "report/json.h"

int
format_jsonl(FILE *f, const struct report *r)
{
	json_t *o, *finding;
	size_t i;

	json_array_foreach(json_object_get(r->findings, "items"), i, finding) {
		o = json_pack("{s:i, s:O?}", "schema_version", SCHEMA_VERSION,
		    "run", json_object_get(r->run, "id"));
		if (o == NULL || json_object_update(o, finding) != 0) {
			json_decref(o);
			return -1;
		}
		json_dumpf(o, f, JSON_COMPACT);
		putc('\n', f);
		json_decref(o);
	}
	return 0;
}
