/*
 * cli/view.h: the documents of one run, from the daemon or from a capture file
 * that is analysed here: commands need not know which.
 */
#ifndef CADV_CLI_VIEW_H
#define CADV_CLI_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/document.h"
#include "report/format.h"
#include "report/text.h"

struct cli;
struct error;
struct loaded;

struct view {
	char *name;		/* the run's name in commands: number or path */
	json_t *run, *findings, *kernels, *diagnostics, *operators, *ranges;
	json_t *traced;		/* of --twice (cli/twice.h); NULL */
	bool newest;		/* it is the newest of the daemon's runs */
	json_t *compare, *was;	/* with --baseline: Compare, and the baseline's
				 * findings; NULL */
	struct loaded *loaded;		/* for a file; else NULL */
};

/*
 * view_load(cli, ref, v, e): load a run into ${v}. ${ref} is its number or id, the
 * path of a capture (something with a '/' or an existing file), or NULL for the newest
 * run. Connects cli->client if needed. 0; -1 with ${e} set. Release with view_release.
 */
int view_load(struct cli *cli, const char *ref, struct view *v,
    struct error *e);

/* view_is_file(ref): is ${ref} a capture's path? "41" is a run even if a file
 * has that name: write ./41 for the file. */
bool view_is_file(const char *ref);

/* view_run_only(command, ref, e): 0 if ${ref} can name a run of the daemon; -1
 * with ${e} set if it is empty or names a file, which ${command} does not take. */
int view_run_only(const char *command, const char *ref, struct error *e);
/* view_new(cli, path, v, e): load a capture that was just recorded here, and
 * complete it. */
int view_new(struct cli *cli, const char *path, struct view *v,
    struct error *e);
void view_release(struct view *v);

/* view_note_damage(cli, path, truncated, damaged): note what could not be read of
 * the capture ${path}: that it ends early, and in how many places it is damaged. */
void view_note_damage(struct cli *cli, const char *path, bool truncated,
    uint64_t damaged);

/*
 * view_source(cli, v, kernel, sass, e): the source document of one kernel, with
 * ${sass} including its instructions.
 * view_source_file(cli, v, index, e): one file with its text, by its index
 * (report/json_source.h). New references; NULL with ${e} set.
 */
json_t *view_source(struct cli *cli, const struct view *v, uint32_t kernel,
    bool sass, struct error *e);
json_t *view_source_file(struct cli *cli, const struct view *v,
    uint32_t index, struct error *e);

/* view_document(cli, v, which, e): another document of the run (one that is
 * served unchanged); of a list its array. New reference; NULL with ${e} set. */
json_t *view_document(struct cli *cli, const struct view *v,
    enum document_id which, struct error *e);

/* view_compare(base, target): the comparison of two runs (report/compare.h).
 * New reference; NULL without memory. */
json_t *view_compare(const struct view *base, const struct view *target);

/* view_report(cli, v): the input of the report; borrows from ${v}. */
struct report view_report(const struct cli *cli, const struct view *v);

/* view_json(v): all of its documents as one object. New reference. */
json_t *view_json(const struct view *v);

/* view_print(cli, v): print the report to cli->out, in the requested format
 * (report/format.def). Returns the exit status. */
int view_print(struct cli *cli, const struct view *v);
/* view_write(cli, v, write, reads, f, e): write a format for other programs. ${reads}
 * may exceed FORMAT_DOCUMENTS only for a file (v->loaded). -1 with ${e} set. */
int view_write(struct cli *cli, const struct view *v, format_write *write,
    enum format_reads reads, FILE *f, struct error *e);
/* view_download(cli, id, format, f, e): write a run of the daemon as exported
 * by the daemon. -1 with ${e} set. */
int view_download(struct cli *cli, const char *id, const char *format, FILE *f,
    struct error *e);
/* view_binary(name, type, f, e): 0 if format ${name} with media type ${type}
 * may be written to ${f}; -1 with ${e} set if it is binary and ${f} a terminal. */
int view_binary(const char *name, const char *type, FILE *f, struct error *e);
/* show_NAME(cli, v): print it in one format (cli/show_NAME.c). Returns the exit
 * status. */
#define SHOWN(name, help) int show_##name(struct cli *cli, const struct view *v);
#include "report/format.def"

#endif
