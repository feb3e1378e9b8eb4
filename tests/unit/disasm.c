/*
 * The disassembler as a child process: here a script that prints nvdisasm's
 * output for the same cubin, or misbehaves.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "source/child.h"
#include "source/disasm.h"
#include "source/listing.h"
#include "source/sass.h"
#include "unit/disasm.h"
#include "unit/fixtures.h"
#include "unit/test.h"

TEST_WITH(finds, set_up, tear_down)
{
	struct disassembler d;
	char path[300];

	make_tool("");
	assert_int_equal(disasm_find(&d), 0);
	assert_string_equal(d.path, tool);
	assert_string_equal(d.version, "nvdisasm V13.0.85");
	/* The one that was configured, or none. */
	setenv("CUDADVISE_NVDISASM", "", 1);
	assert_int_equal(disasm_find(&d), -1);
	assert_string_equal(d.path, "");
	setenv("CUDADVISE_NVDISASM", "nvdisasm", 1);
	assert_int_equal(disasm_find(&d), -1);
	setenv("CUDADVISE_NVDISASM", top, 1);
	assert_int_equal(disasm_find(&d), -1);
	/* Searched as by a shell, but not in relative directories. */
	unsetenv("CUDADVISE_NVDISASM");
	assert_int_equal(chdir(top), 0);
	snprintf(path, sizeof(path), ".::/nonexistent:%s:/bin", top);
	setenv("PATH", path, 1);
	assert_int_equal(disasm_find(&d), 0);
	assert_string_equal(d.path, tool);
	chmod(tool, 0600);
	setenv("CUDADVISE_NVDISASM", tool, 1);
	assert_int_equal(disasm_find(&d), -1);
	assert_int_equal(chdir("/"), 0);
	setenv("PATH", "/usr/bin:/bin", 1);
}

static size_t
count(const char *text, char c)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == c;
	return n;
}

static void
check_kernel(const char *text)
{

	assert_non_null(text);
	assert_int_equal(count(text, '\n'), 0x700 / 16);
	assert_memory_equal(text, "0000 LDC R1,c[0x0][0x28]\n", 25);
	assert_non_null(strstr(text, "\n0070 @P0 EXIT\n"));
	assert_non_null(strstr(text,
	    "\n00d0 LDG.E R9,desc[UR4][R6.64+0x4]\n"));
	assert_non_null(strstr(text, "\n0190 @P0 BRA 0x1e0\n"));
	/* The function inside it, at its position. */
	assert_non_null(strstr(text, "\n0370 @P0 BRA 0x420\n"));
	assert_non_null(strstr(text, "\n0660 RET.REL.NODEC R6,_Z1kPKfPfi\n"));
	assert_non_null(strstr(text, "\n06f0 NOP\n"));
}

/* The same function alone: it and its jumps count from its own beginning. */
static void
check_inner(const char *text)
{

	assert_non_null(text);
	assert_int_equal(count(text, '\n'), 0x3d0 / 16);
	assert_memory_equal(text, "0000 SHF.L.U32 R2,R0,0x1,RZ\n"
	    "0010 BSSY B1,0x320\n", 47);
	assert_non_null(strstr(text, "\n0040 @P0 BRA 0xf0\n"));
	/* A number that is no jump target stays. */
	assert_non_null(strstr(text, "\n00f0 IADD3 R5,R2,-0xfd,RZ\n"));
}

static void
check_texts(void)
{
	const uint32_t symbol[] = { KERNEL, 99, INNER };
	struct error e;
	struct sass s;
	char *text[3];
	size_t i;

	if (run(symbol, 3, text, &e) != 0)
		fail_msg("%s", e.text);
	assert_null(text[1]);
	check_kernel(text[0]);
	check_inner(text[2]);
	for (i = 0; i < 3; i += 2) {
		assert_int_equal(sass_parse(&s, text[i], strlen(text[i])), 0);
		sass_free(&s);
		free(text[i]);
	}
	nothing_left();
}

TEST_WITH(json, set_up, tear_down)
{
	make_tool("-json) cat " DIR "t.json;;");
	check_texts();
}

/* A release without -json, and one whose JSON is invalid. */
TEST_WITH(older, set_up, tear_down)
{
	const uint32_t symbol[] = { KERNEL };
	struct error e;
	char *text[1];

	make_tool("-json) echo 'Unknown option' >&2; exit 1;;\n"
	    "-c) cat " DIR "t.gi.sass;;");
	check_texts();
	make_tool("-json) echo '[{},[{]]';;\n-c) cat " DIR "t.gi.sass;;");
	check_texts();
	/* One that accepts only kernels. */
	make_tool("-json) case $3 in *,*) exit 1;; esac; cat " DIR
	    "t.json;;");
	assert_int_equal(run(symbol, 1, text, &e), 0);
	check_kernel(text[0]);
	free(text[0]);
}

/* What the tool gets: numbers, a file of its own, and nothing else. */
TEST_WITH(surroundings, set_up, tear_down)
{
	const uint32_t symbol[] = { KERNEL };
	char cases[2000], seen[4096], *text[1], path[256], mode[8];
	struct error e;

	snprintf(cases, sizeof(cases), "-json)\n"
	    "{ echo \"args $#: $1 $2 $3\"; echo \"file $4\"\n"
	    "stat -c 'mode %%a' \"$4\"; cmp \"$4\" " DIR "t.cubin && echo same\n"
	    "echo \"in $(pwd)\"; echo \"secret=$SECRET home=$HOME\"\n"
	    "echo \"fds $(ls /proc/$$/fd | tr '\\n' ' ')\"\n"
	    "echo \"limits $(ulimit -f) $(ulimit -t) $(ulimit -c)\"\n"
	    "} > %s 2>&1; cat " DIR "t.json;;", file);
	make_tool(cases);
	setenv("SECRET", "xyzzy", 1);
	assert_int_equal(dup2(1, 77), 77);	/* not close-on-exec */
	if (run(symbol, 1, text, &e) != 0)
		fail_msg("%s", e.text);
	close(77);
	free(text[0]);
	slurp(file, seen, sizeof(seen));
	assert_non_null(strstr(seen, "args 4: -json -fun 6,13\n"));
	assert_int_equal(sscanf(strstr(seen, "file "), "file %255s mode %7s",
	    path, mode), 2);
	assert_string_equal(mode, "600");
	assert_memory_equal(path, top, strlen(top));
	assert_int_equal(access(path, F_OK), -1);
	assert_non_null(strstr(seen, "\nsame\n"));
	assert_non_null(strstr(seen, "\nin /\n"));
	assert_non_null(strstr(seen, "secret= home=\n"));
	assert_non_null(strstr(seen, "\nfds 0 1 "));
	assert_null(strstr(seen, " 77 "));
	assert_non_null(strstr(seen, "\nlimits 2048 10 0\n"));
	nothing_left();
}

static void
fails(const char *cases, const char *why)
{
	const uint32_t symbol[] = { KERNEL };
	struct error e;
	char *text[1];

	make_tool(cases);
	assert_int_equal(run(symbol, 1, text, &e), -1);
	if (strstr(e.text, why) == NULL)
		fail_msg("'%s' does not say '%s'", e.text, why);
	nothing_left();
}

TEST_WITH(misbehaves, set_up, tear_down)
{
	fails("*) exit 0;;", "printed nothing");
	fails("*) echo 'nvdisasm fatal: no'\\''de' >&2; exit 2;;",
	    "nvdisasm fatal: no'de");
	fails("*) kill -SEGV $$;;", "signal 11");
	fails("*) yes 0123456789012345678901234567890123456789 |"
	    "head -c 50000000; sleep 100;;", "more than 16 MiB");
	fails("*) exit 127;;", "cannot be run");
}

/* Impossible numbers and texts are left out, or harmless. */
TEST_WITH(odd_json, set_up, tear_down)
{
	static const char *const row[] = {
		"[{},[{\"function-name\":\"_Z1kPKfPfi\",\"start\":-16,"
		"\"sass-instructions\":[{\"opcode\":\"NOP\"}]}]]",
		"[{},[{\"function-name\":\"_Z1kPKfPfi\",\"start\":99999999999,"
		"\"sass-instructions\":[{\"opcode\":\"NOP\"}]}]]",
		"[{},[{\"function-name\":\"_Z1kPKfPfi\",\"start\":8192,"
		"\"sass-instructions\":[{\"opcode\":\"NOP\"}]}]]",
		"[{},[{\"function-name\":\"other\",\"start\":0,"
		"\"sass-instructions\":[{\"opcode\":\"NOP\"}]}]]",
		"[{},[{\"function-name\":\"_Z1kPKfPfi\",\"start\":0,"
		"\"sass-instructions\":[{\"opcode\":7},[],3,\"x\"]}]]",
	};
	const uint32_t symbol[] = { KERNEL };
	char cases[1000], *text[1];
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(cases, sizeof(cases), "-json) echo '%s';;", row[i]);
		make_tool(cases);
		if (run(symbol, 1, text, &e) == 0)
			assert_null(text[0]);
	}
	/* A line of text stays one line, whatever the tool prints. */
	make_tool("-json) echo '[{},[{\"function-name\":\"_Z1kPKfPfi\","
	    "\"start\":0,\"sass-instructions\":[{\"opcode\":\"A\\\\nB\","
	    "\"operands\":\"\\\\u001b\"}]}]]';;");
	if (run(symbol, 1, text, &e) != 0)
		fail_msg("%s", e.text);
	assert_string_equal(text[0], "0000 A?B ?\n");
	free(text[0]);
}

TEST_WITH(not_for_it, set_up, tear_down)
{
	const uint32_t symbol[] = { KERNEL, 99 };
	struct disassembler d;
	struct error e = ERROR_INIT;
	char *text[2];

	make_tool("-json) exit 3;;");
	assert_int_equal(disasm_find(&d), 0);
	assert_int_equal(disasm_run(&d, cubin, 100, symbol, 1, text, &e), -1);
	/* None of the functions exists: the tool is not run. */
	assert_int_equal(disasm_run(&d, cubin, cubin_size, symbol + 1, 1, text,
	    &e), 0);
	assert_null(text[0]);
	/* Code from before Volta, whose instructions have another size. */
	cubin[7] = 51;
	cubin[8] = 7;
	cubin[48] = 60;
	e = (struct error)ERROR_INIT;
	assert_int_equal(disasm_run(&d, cubin, cubin_size, symbol, 1, text,
	    &e), -1);
	assert_non_null(strstr(e.text, "sm_60"));
}

/* --- the child itself ------------------------------------------------------ */

static uint64_t
ms_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - from->tv_sec) * 1000 +
	    (now.tv_nsec - from->tv_nsec) / 1000000);
}

static int
shell(const char *script, const struct child_limits *l,
    struct child_output *o, struct error *e)
{
	char sh[] = "/bin/sh", c[] = "-c", text[400];
	char *argv[] = { sh, c, text, NULL };

	snprintf(text, sizeof(text), "%s", script);
	*e = (struct error)ERROR_INIT;
	return child_run(sh, argv, l, o, e);
}

/* Waits until the process is gone: its new parent may take a moment to notice. */
static void
assert_gone(const char *pid)
{
	char script[200];
	int i;

	snprintf(script, sizeof(script), "for p in %s; do "
	    "! grep -qs '^State:[[:space:]]*[^Z]' /proc/$p/status || exit 1; "
	    "done", pid);
	for (i = 0; i < 200 && system(script) != 0; i++)
		usleep(10000);
	assert_true(i < 200);
}

/* Tries what a malicious disassembler would do. */
TEST_WITH(nothing_but_reading_and_printing, set_up, tear_down)
{
	struct child_limits l = { .ns = 60000000000u, .cpu_seconds = 10,
	    .memory = 1u << 30, .output = 1u << 20, .writable = code };
	/* Each prints "no" if it is refused. */
	static const char *const tricks[] = {
		"echo x > new && exit; echo no",
		"rm seen && exit; echo no",
		"mkdir d && exit; echo no",
		"mv seen other && exit; echo no",
		"ln -s / link && exit; echo no",
		"echo x > ../nvdisasm && exit; echo no",
		"kill -0 $PPID && exit; echo no",
		"kill 0; echo no",
		"setsid true && exit; echo no",
		"python3 -c 'import socket; socket.socket()' && exit; echo no",
		"python3 -c 'import socket; socket.socketpair()' && exit; "
		    "echo no",
		"python3 -c 'x = b\"a\" * (1 << 33)' && exit; echo no",
	};
	char script[400];
	struct child_output o;
	struct error e;
	size_t i;

	make_tool("");
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1)
		skip();		/* a kernel without this protection */
	for (i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		snprintf(script, sizeof(script), "cd %s; %s", code, tricks[i]);
		if (shell(script, &l, &o, &e) != 0)
			fail_msg("%s: %s", tricks[i], e.text);
		if (strcmp(o.text, "no\n") != 0)
			fail_msg("%s: it did", tricks[i]);
		free(o.text);
	}
	/* And what the tool needs still works: existing files, /dev/null,
	 * signals to itself. */
	snprintf(script, sizeof(script), "cd %s; echo y > seen; cat seen "
	    "../nvdisasm > /dev/null; trap 'echo sig' TERM; kill -TERM $$; "
	    "cat seen", code);
	assert_int_equal(shell(script, &l, &o, &e), 0);
	assert_string_equal(o.text, "sig\ny\n");
	free(o.text);
}

/* The tool ended normally, but left processes behind. */
TEST_WITH(what_it_started_ends_with_it, set_up, tear_down)
{
	struct child_limits l = { .ns = 60000000000u, .cpu_seconds = 10,
	    .memory = 1u << 30, .output = 1u << 20 };
	struct child_output o;
	struct error e;

	assert_int_equal(shell("for i in 1 2 3 4 5 6 7 8; do "
	    "sleep 60 >&- 2>&- & echo $!; done | tr '\\n' ' '", &l, &o, &e),
	    0);
	assert_true(strlen(o.text) >= 16);
	assert_gone(o.text);
	free(o.text);
}

TEST_WITH(limits, set_up, tear_down)
{
	static const struct child_limits l = { .ns = 400000000u,
	    .cpu_seconds = 10, .memory = 1u << 30, .output = 1u << 20 };
	struct child_limits cpu = l, patient = l, slow = l;
	struct child_output o;
	struct timespec t0;
	struct error e;
	char script[300], seen[32];

	/* ${patient}: for limits other than time. The other limit: for time,
	 * but after something that must have happened before. */
	patient.ns = 60000000000u;
	slow.ns = 5000000000u;
	patient.writable = slow.writable = code;
	assert_int_equal(shell("echo out; echo err >&2; exit 7", &patient, &o,
	    &e), 0);
	assert_string_equal(o.text, "out\n");
	assert_string_equal(o.complaint, "err?");
	assert_int_equal(o.status, 7);
	free(o.text);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	assert_int_equal(shell("sleep 60", &l, &o, &e), -1);
	assert_non_null(strstr(e.text, "took longer"));
	assert_null(o.text);
	/* It closes its pipes, but does not end. */
	assert_int_equal(shell("exec >&- 2>&-; sleep 60", &l, &o, &e), -1);
	assert_true(ms_since(&t0) < 30000);
	/* The processes that it started are ended, too. */
	snprintf(script, sizeof(script), "sleep 60 & echo $! > %s; exit 0",
	    file);
	assert_int_equal(shell(script, &slow, &o, &e), -1);
	slurp(file, seen, sizeof(seen));
	seen[strcspn(seen, "\n")] = '\0';
	assert_true(atoi(seen) > 1);
	assert_gone(seen);
	/* Endless output, to either pipe. */
	assert_int_equal(shell("yes", &patient, &o, &e), -1);
	assert_non_null(strstr(e.text, "more than 1 MiB"));
	assert_int_equal(shell("yes >&2", &l, &o, &e), -1);
	assert_non_null(strstr(e.text, "took longer"));
	/* To a file. */
	snprintf(script, sizeof(script), "yes > %s", file);
	assert_int_equal(shell(script, &patient, &o, &e) == 0 && o.status == 0,
	    0);
	assert_null(strstr(e.text, "took longer"));
	free(o.text);
	/* Processor time, which a clock does not measure. */
	cpu.cpu_seconds = 1;
	cpu.ns = 60000000000u;
	assert_int_equal(shell("while :; do :; done", &cpu, &o, &e), -1);
	assert_non_null(strstr(e.text, "signal"));
}

TEST(listings)
{
	static const char *const row[] = { "", "[]", "[{},[]]", "{}", "null",
	    "[1,[2,[3]]]", "\xff", "[\"a\"]" };
	static const char text[] = "f:\n/*0000*/ BRA `(.L_1) ;\n"
	    "/*0010*/ BRA `(.L_none) ;\n.L_1:\n/*zz*/ X;\n/*0020*/ ;\n"
	    "/*0030*/ @!P0 A.B  R1, [R2 + 0x1], !P3 ;\n";
	struct listing l;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(listing_json(&l, row[i], strlen(row[i])), -1);
		assert_int_equal(listing_text(&l, row[i], strlen(row[i])), -1);
	}
	assert_int_equal(listing_text(&l, text, strlen(text)), 0);
	assert_int_equal(l.functions, 1);
	assert_int_equal(l.instructions, 3);
	assert_string_equal(l.instruction[0].operands, "0x30");
	assert_true(l.instruction[0].flow);
	assert_string_equal(l.instruction[1].operands, ".L_none");
	assert_string_equal(l.instruction[2].predicate, "@!P0");
	assert_string_equal(l.instruction[2].opcode, "A.B");
	assert_string_equal(l.instruction[2].operands, "R1,[R2+0x1],!P3");
	assert_int_equal(l.instruction[2].pc, 0x30);
	listing_free(&l);
}
