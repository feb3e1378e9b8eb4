/*
 * base/paths.h: where cudadvise keeps its files. Every function fills ${out} (PATH_MAX
 * bytes) and returns 0, or -1 with ${e} set.
 *
 *   runtime  $CUDADVISE_RUNTIME_DIR, else $XDG_RUNTIME_DIR/cudadvise,
 *            else /tmp/cudadvise-UID        sockets, pid file; 0700
 *   state    $CUDADVISE_STATE_DIR, else $XDG_STATE_HOME/cudadvise,
 *            else ~/.local/state/cudadvise  runs/, spool/, database, calibration; 0700
 *   config   $CUDADVISE_CONFIG, else $XDG_CONFIG_HOME/cudadvise/cudadvised.conf,
 *            else ~/.config/cudadvise/cudadvised.conf; only the first has to exist
 *   data     $CUDADVISE_DATA_DIR, else found relative to the executable
 *            (build tree: <exe>/../../config, installed: <exe>/../share/cudadvise)
 *            metrics/, practices
 */
#ifndef CADV_PATHS_H
#define CADV_PATHS_H

#include <stddef.h>

struct error;

/* The runtime and the state directory are made (0700) if missing; it is an error if
 * another user owns them or can read or write them. */
int paths_runtime(char *out, struct error *e);
int paths_state(char *out, struct error *e);
int paths_config(char *out, struct error *e);
int paths_data(char *out, struct error *e);

/* paths_join(out, a, b): a/b; an error if it does not fit PATH_MAX. */
int paths_join(char *out, const char *a, const char *b, struct error *e);

/* paths_unnamed(out, e): make a file without a name, which disappears when it is
 * closed, in the state directory (whose path goes to ${out}). Returns its descriptor;
 * -1 with ${e} set. */
int paths_unnamed(char *out, struct error *e);

/* <runtime>/ingest.sock: the daemon's socket for injection libraries (wire
 * protocol). */
int paths_ingest_socket(char *out, struct error *e);
/* <runtime>/api.sock: the socket of the HTTP API. Both paths are checked against the
 * size of sockaddr_un. */
int paths_api_socket(char *out, struct error *e);
/* <state>/spool: where injection libraries leave records that the daemon did not take:
 * files named <run uuid>.<stream hex>.spool, a sequence of frames. */
int paths_spool(char *out, struct error *e);
/* The injection library beside this executable (../lib or ../lib/cudadvise). */
int paths_injection(char *out, struct error *e);

#endif
