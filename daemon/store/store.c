#include "base/error.h"
#include "store/store.h"
struct store *store_open(const char *p, struct error *e) { (void)p; error_set(e, "not built yet"); return (NULL); }
struct store *store_open_reader(const char *p, struct error *e) { (void)p; error_set(e, "not built yet"); return (NULL); }
void store_close(struct store *s) { (void)s; }
void store_run_clear(struct store_run *r) { (void)r; }
void store_runs_free(struct store_run *r, size_t n) { (void)r; (void)n; }
enum store_status store_run_find(struct store *s, const char *id, struct store_run *o, struct error *e) { (void)s; (void)id; (void)o; (void)e; return (STORE_FAILED); }
enum store_status store_runs(struct store *s, int64_t a, size_t l, bool o, struct store_run **out, size_t *n, struct error *e) { (void)s; (void)a; (void)l; (void)o; (void)out; (void)n; (void)e; return (STORE_FAILED); }
enum store_status store_run_add(struct store *s, const char *u, const char *l, int64_t t, int64_t *n, struct error *e) { (void)s; (void)u; (void)l; (void)t; (void)n; (void)e; return (STORE_FAILED); }
enum store_status store_run_patch(struct store *s, int64_t n, const char *l, int p, struct error *e) { (void)s; (void)n; (void)l; (void)p; (void)e; return (STORE_FAILED); }
enum store_status store_run_delete(struct store *s, int64_t n, struct error *e) { (void)s; (void)n; (void)e; return (STORE_FAILED); }
enum store_status store_run_state(struct store *s, int64_t n, const char *st, struct error *e) { (void)s; (void)n; (void)st; (void)e; return (STORE_FAILED); }
void store_docs_free(struct store_doc *d, size_t n) { (void)d; (void)n; }
enum store_status store_doc(struct store *s, int64_t r, const char *noun, const char *id, char **j, struct error *e) { (void)s; (void)r; (void)noun; (void)id; (void)j; (void)e; return (STORE_FAILED); }
enum store_status store_docs(struct store *s, int64_t r, const char *noun, enum store_sort so, bool rev, const char *c, size_t l, struct store_doc **out, size_t *n, char *next, struct error *e) { (void)s; (void)r; (void)noun; (void)so; (void)rev; (void)c; (void)l; (void)out; (void)n; (void)next; (void)e; return (STORE_FAILED); }
enum store_status store_put(struct store *s, int64_t n, const struct documents *d, const struct capture_index *x, uint64_t b, struct error *e) { (void)s; (void)n; (void)d; (void)x; (void)b; (void)e; return (STORE_FAILED); }
enum store_status store_index(struct store *s, int64_t n, struct capture_index *x, struct error *e) { (void)s; (void)n; (void)x; (void)e; return (STORE_FAILED); }
int64_t store_revision(struct store *s) { (void)s; return (0); }
