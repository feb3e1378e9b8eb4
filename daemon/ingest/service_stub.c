#include <string.h>
#include "base/error.h"
#include "ingest/service.h"
struct service *service_start(const struct service_options *o, struct error *e) { (void)o; error_set(e, "not built yet"); return (NULL); }
void service_stop(struct service *s) { (void)s; }
struct store *service_store(struct service *s) { (void)s; return (NULL); }
const struct config *service_config(struct service *s) { (void)s; return (NULL); }
json_t *service_run_json(const struct store_run *r) { (void)r; return (NULL); }
int service_import(struct service *s, int fd, struct error *e, int64_t *n) { (void)s; (void)fd; (void)n; return (error_set(e, "not built yet")); }
enum store_status service_reanalyze(struct service *s, int64_t r, struct error *e) { (void)s; (void)r; (void)e; return (STORE_FAILED); }
enum store_status service_delete(struct service *s, int64_t r, struct error *e) { (void)s; (void)r; (void)e; return (STORE_FAILED); }
enum store_status service_patch(struct service *s, int64_t r, const char *l, int p, struct error *e) { (void)s; (void)r; (void)l; (void)p; (void)e; return (STORE_FAILED); }
int service_capture(struct service *s, int64_t r, struct error *e) { (void)s; (void)r; return (error_set(e, "not built yet")); }
enum store_status service_timeline(struct service *s, int64_t r, uint64_t a, uint64_t b, unsigned px, json_t **out, struct error *e) { (void)s; (void)r; (void)a; (void)b; (void)px; (void)out; (void)e; return (STORE_FAILED); }
enum store_status service_launches(struct service *s, int64_t r, uint32_t k, const char *c, size_t l, json_t **out, char *next, struct error *e) { (void)s; (void)r; (void)k; (void)c; (void)l; (void)out; (void)next; (void)e; return (STORE_FAILED); }
size_t service_events_since(struct service *s, uint64_t id, struct service_event *out, size_t cap, bool *reset) { (void)s; (void)id; (void)out; (void)cap; *reset = true; return (0); }
uint64_t service_events_last(struct service *s) { (void)s; return (0); }
void service_on_event(struct service *s, void (*fn)(void *), void *arg) { (void)s; (void)fn; (void)arg; }
void service_counters(struct service *s, struct service_counters *out) { (void)s; memset(out, 0, sizeof(*out)); }
