#include <string.h>
#include "base/error.h"
#include "ingest/capture.h"
#include "ingest/analyse.h"
static int not_yet(struct error *e) { return (error_set(e, "not built yet")); }
struct capture_writer *capture_writer_open(const char *path, struct error *e) { (void)path; not_yet(e); return (NULL); }
int capture_writer_put(struct capture_writer *w, const uint8_t *f, size_t n, struct error *e) { (void)w; (void)f; (void)n; return (not_yet(e)); }
uint64_t capture_writer_bytes(const struct capture_writer *w) { (void)w; return (0); }
void capture_writer_close(struct capture_writer *w) { (void)w; }
void capture_index_clear(struct capture_index *x) { memset(x, 0, sizeof(*x)); }
int capture_load(const char *p, struct model *m, struct capture_stats *s, struct error *e) { (void)p; (void)m; (void)s; return (not_yet(e)); }
int capture_load_fd(int fd, const char *n, struct model *m, struct capture_stats *s, struct capture_index *x, struct error *e) { (void)fd; (void)n; (void)m; (void)s; (void)x; return (not_yet(e)); }
void capture_index_kernels(struct capture_index *x, const struct run *run) { (void)x; (void)run; }
int64_t capture_window(const char *p, const struct capture_index *x, uint64_t from, uint64_t to, uint64_t max, capture_visit *fn, void *arg, int *more, struct error *e) { (void)p; (void)x; (void)from; (void)to; (void)max; (void)fn; (void)arg; (void)more; return (not_yet(e)); }
int capture_record_time(const struct record *r, uint64_t *from, uint64_t *to) { (void)r; (void)from; (void)to; return (0); }
int capture_concat(const char *const *p, size_t n, const char *out, struct error *e) { (void)p; (void)n; (void)out; return (not_yet(e)); }
int capture_peek(const char *p, struct capture_origin *o, struct error *e) { (void)p; (void)o; return (not_yet(e)); }
struct documents *analyse(struct model *m, bool final, const struct thresholds *t, int rev, const struct run **run) { (void)m; (void)final; (void)t; (void)rev; (void)run; return (NULL); }
void documents_free(struct documents *d) { (void)d; }
