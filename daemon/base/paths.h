/*
 * base/paths.h: where cudadvise keeps things. Every function fills ${out}
 * (PATH_MAX bytes) and returns 0, or -1 with ${e} set.
 *
 *   runtime  $CUDADVISE_RUNTIME_DIR, else $XDG_RUNTIME_DIR/cudadvise,
 *            else /tmp/cudadvise-UID        sockets, pid file; 0700
 *   state    $CUDADVISE_STATE_DIR, else $XDG_STATE_HOME/cudadvise,
 *            else ~/.local/state/cudadvise  runs/, spool/, database, calibration; 0700
 *   config   $CUDADVISE_CONFIG, else $XDG_CONFIG_HOME/cudadvise/cudadvised.conf,
 *            else ~/.config/cudadvise/cudadvised.conf; only the first has to exist
 *   data     $CUDADVISE_DATA_DIR, else found from the executable's own place
 *            (build tree: <exe>/../../config, installed: <exe>/../share/cudadvise)
 *            metrics/, practices
 */
#ifndef CADV_PATHS_H
#define CADV_PATHS_H

#include <stddef.h>

struct error;

/* Directories are made (0700) if missing; a directory of another owner or
 * with wider permissions is an error (runtime, state). */
int paths_runtime(char *out, struct error *e);
int paths_state(char *out, struct error *e);
int paths_config(char *out, struct error *e);
int paths_data(char *out, struct error *e);

/* paths_join(out, a, b): a/b; an error if it does not fit PATH_MAX. */
int paths_join(char *out, const char *a, const char *b, struct error *e);

/* paths_unnamed(out, e): a new file in the state directory (its path in ${out}) that
 * has no name, so that nothing is left behind. Its descriptor; -1 with ${e} set. */
int paths_unnamed(char *out, struct error *e);

/* <runtime>/ingest.sock: where injection libraries send (wire protocol). */
int paths_ingest_socket(char *out, struct error *e);
/* <runtime>/api.sock: where the HTTP API listens. Both are checked against
 * the size of sockaddr_un. */
int paths_api_socket(char *out, struct error *e);
/* <state>/spool: where injection libraries leave what the daemon did not take:
 * files named <run uuid>.<stream hex>.spool, a sequence of frames. */
int paths_spool(char *out, struct error *e);
/* The injection library beside this executable (../lib or ../lib/cudadvise). */
int paths_injection(char *out, struct error *e);

#endif
