/*
 * cli/mcp.h: the Model Context Protocol over standard input and output:
 * JSON-RPC 2.0, one message per line, nothing else. Two protocol generations
 * are served: clients of 2025-11-25 and before begin with `initialize`; those
 * of 2026-07-28 send their version with each request and may ask
 * `server/discover`. A tool is this command, run again with arguments from
 * cli/mcp_tools.c's table. One thread; several tools may run at once.
 */
#ifndef CADV_CLI_MCP_H
#define CADV_CLI_MCP_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct pollfd;

#define MCP_JOBS 16			/* tools at once */
#define MCP_JOB_FDS 3			/* file descriptors of each */
/* An answer has at most 2,000 tokens. The limits in bytes follow from the
 * fewest bytes per token (o200k_base and cl100k_base, all answers about the
 * committed captures; tests/cli/mcp.test.mjs counts them): tables and machine
 * code 2.1, the pages for agents 3.1, numbers that a program prints 1.5. */
#define MCP_TOKENS 2000
#define MCP_ANSWER_BYTES 4000
#define MCP_PAGE_BYTES 6200
#define MCP_PAGE_TOKEN 3.1
#define MCP_OUTPUT_TOKEN 1.5

enum mcp_error {
	MCP_PARSE = -32700, MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601, MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL = -32603, MCP_BUSY = -32000,
	MCP_UNSUPPORTED_VERSION = -32022
};

/* --- mcp_tools.c: the table ------------------------------------------------------ */

struct mcp_tool;

/* mcp_tools_json(): the "tools" of tools/list. New reference. */
json_t *mcp_tools_json(void);
const struct mcp_tool *mcp_tool_find(const char *name);
/* mcp_tool_runs(tool): does the tool run a program that it is given? */
bool mcp_tool_runs(const struct mcp_tool *tool);

/* The command to run for a call. */
struct mcp_call {
	const struct mcp_tool *tool;
	char **argv;			/* malloced, with its strings */
	size_t args;
	const char *cwd;		/* borrowed from the arguments; NULL */
	const json_t *env;		/* likewise */
	long limit_s;
	char report[PATH_MAX];		/* file with the answer; "": none */
};

/* mcp_call_make(c, tool, arguments, e): -1 with ${e} set if an argument is
 * missing, unknown or of a wrong type. mcp_call_release in any case. */
int mcp_call_make(struct mcp_call *c, const struct mcp_tool *tool,
    const json_t *arguments, struct error *e);
void mcp_call_release(struct mcp_call *c);

/* mcp_answer(c, arguments, status, out, err): the result of tools/call, from
 * the command's output and exit status. New reference; NULL without memory. */
json_t *mcp_answer(const struct mcp_call *c, const json_t *arguments,
    int status, const char *out, const char *err);

/* --- mcp_job.c: a running tool ------------------------------------------------- */

struct mcp_job {
	pid_t pid;			/* 0: free; its own process group */
	/* Standard output, standard error, and one that is readable when it has
	 * ended; -1: closed. */
	int fd[MCP_JOB_FDS];
	char *text[2];
	size_t length[2];
	json_t *id, *token, *arguments;
	struct mcp_call call;
	uint64_t start_ns, told_ns, killed_ns;
	bool cancelled, modern;
};

/* mcp_job_start(j, e): run j->call. -1 with ${e} set. */
int mcp_job_start(struct mcp_job *j, struct error *e);
/* mcp_job_read(j): read the available output, without waiting. */
void mcp_job_read(struct mcp_job *j);
/* mcp_job_ended(j, status): has it ended? ${status}: its exit status, or 128 +
 * signal. */
bool mcp_job_ended(struct mcp_job *j, int *status);
/* mcp_job_end(j): SIGTERM; at a second call, some time later, SIGKILL. */
void mcp_job_end(struct mcp_job *j);
void mcp_job_release(struct mcp_job *j);

/* --- mcp_protocol.c: messages --------------------------------------------------- */

struct mcp {
	struct mcp_job job[MCP_JOBS];
	bool legacy;			/* initialize was called */
	/* Send a message (stolen) to the client. */
	void (*send)(struct mcp *m, json_t *message);
};

/* mcp_line(m, line, length): process one message, however malformed. */
void mcp_line(struct mcp *m, const char *line, size_t length);
/* mcp_job_done(m, j, status): send the answer, and free ${j}. */
void mcp_job_done(struct mcp *m, struct mcp_job *j, int status);
/* mcp_job_tell(m, j): report progress, if the caller wants it. */
void mcp_job_tell(struct mcp *m, struct mcp_job *j);
/* mcp_too_long(m): answer a line that is too long. */
void mcp_too_long(struct mcp *m);

#endif
