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
	char *name;		/* as commands call the run: number or path */
	json_t *run, *findings, *kernels, *diagnostics, *operators, *ranges;
	json_t *traced;		/* NULL, or of --twice (cli/twice.h) */
	bool newest;		/* of the daemon's runs */
	json_t *compare, *was;	/* with --baseline: Compare, what it found; NULL */
	struct loaded *loaded;		/* of a file; else NULL */
};

/*
 * view_load(cli, ref, v, e): ${ref} is a run's number or id, the path of a
 * capture (something with a '/' or an existing file), or NULL for the newest
 * run. Connects cli->client if it is needed. -1 with ${e} set.
 */
int view_load(struct cli *cli, const char *ref, struct view *v,
    struct error *e);

/* view_is_file(ref): whether ${ref} is a capture's path. "41" is a run even if a file
 * has that name: write ./41 for it. */
bool view_is_file(const char *ref);

/* view_run_only(command, ref, e): 0 if ${ref} can name a run of the daemon; -1
 * with ${e} set if it is empty or names a file, which ${command} cannot take. */
int view_run_only(const char *command, const char *ref, struct error *e);
/* view_new: a capture file that has just been recorded here, which is completed. */
int view_new(struct cli *cli, const char *path, struct view *v,
    struct error *e);
void view_release(struct view *v);

/* view_note_damage(cli, path, truncated, damaged): say what could not be read of
 * the capture ${path}: that it is cut, in how many places it is damaged. */
void view_note_damage(struct cli *cli, const char *path, bool truncated,
    uint64_t damaged);

/*
 * view_source(cli, v, kernel, sass, e): source of one kernel, with ${sass} also
 * its instructions; view_source_file: one file with its text, by its index
 * (report/json_source.h). New references; NULL with ${e} set.
 */
json_t *view_source(struct cli *cli, const struct view *v, uint32_t kernel,
    bool sass, struct error *e);
json_t *view_source_file(struct cli *cli, const struct view *v,
    uint32_t index, struct error *e);

/* view_document(cli, v, which, e): another document of the run (those that are
 * served as they are); of a list its array. New reference; NULL with ${e} set. */
json_t *view_document(struct cli *cli, const struct view *v,
    enum document_id which, struct error *e);

/* Two runs compared (report/compare.h). New reference; NULL without memory. */
json_t *view_compare(const struct view *base, const struct view *target);

/* The report that is drawn from it; borrows. */
struct report view_report(const struct cli *cli, const struct view *v);

/* Everything of it as one object. New reference. */
json_t *view_json(const struct view *v);

/* view_print(cli, v): the report to cli->out, in the format that was asked for
 * (report/format.def). Returns the exit status. */
int view_print(struct cli *cli, const struct view *v);
/* view_write(cli, v, write, reads, f, e): a document for another program. ${reads}
 * more than documents only of a file (v->loaded). -1 with ${e} set. */
int view_write(struct cli *cli, const struct view *v, format_write *write,
    enum format_reads reads, FILE *f, struct error *e);
/* view_download(cli, id, format, f, e): a run of the daemon as that exports it. */
int view_download(struct cli *cli, const char *id, const char *format, FILE *f,
    struct error *e);
/* view_binary(name, type, f, e): 0 if the format ${name} of the media ${type} may go
 * to ${f}; -1 with ${e} set if it is binary and ${f} a terminal. */
int view_binary(const char *name, const char *type, FILE *f, struct error *e);
/* show_NAME(cli, v): in one format (cli/show_NAME.c). */
#define SHOWN(name, help) int show_##name(struct cli *cli, const struct view *v);
#include "report/format.def"

#endif
