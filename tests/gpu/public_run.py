"""public_run.py: runs a program once, and compares its output.

A run has its own process group and a mark in its environment. The mark finds the
processes that it leaves behind, even in another session, and they are ended.
"""
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

MARK = "PUBLIC_RUN"
GRACE_S = 5		# between asking a process to end and ending it
LINGER_S = 3		# a helper process ends a little after its parent
READ_BYTES = 8 << 20	# of an output are compared
SED_S = 30
SHOWN = 100		# characters of a line that differs


class ListError(Exception):
    """A line of the list that cannot be used."""


class Program:
    """A line of the list: name, class, directory, command, seconds alone,
    GPUs, filter. The command may begin with NAME=VALUE words. The filter is a
    sed -E expression that removes what differs in every run. "sort;" before it:
    the order of the lines does not matter. "status" alone: only the exit status
    is compared."""

    def __init__(self, line):
        f = line.split("\t")
        if len(f) != 7:
            raise ListError(f"{len(f)} columns, not 7")
        self.name, self.class_, self.directory = f[0], f[1], f[2]
        if not self.name or "/" in self.name + self.directory:
            raise ListError("a name with a slash, or none")
        try:
            words = shlex.split(f[3])
            self.seconds, self.gpus = float(f[4]), int(f[5])
        except ValueError as e:
            raise ListError(str(e)) from e
        if words[:1] == ["env"]:
            words.pop(0)
        self.env = {}
        while words and words[0].partition("=")[0].isidentifier() and \
                "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            self.env[name] = value
        if not words:
            raise ListError("no command")
        self.argv = words
        self.status_only = f[6] == "status"
        self.sorted = f[6].startswith("sort;")
        self.sed = "" if self.status_only else \
            f[6].removeprefix("sort;").strip()


def sed(expression, data):
    """The filtered data."""
    return subprocess.run(["sed", "-E", expression], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=SED_S, check=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout


def read_list(path, only):
    """The programs in the list's order; if ${only} is given, only those in it."""
    programs, tried = [], set()
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            try:
                p = Program(line)
                if p.sed not in tried:
                    sed(p.sed, b"")
                    tried.add(p.sed)
            except ListError as e:
                raise ListError(f"{path}:{number}: {e}") from e
            except subprocess.CalledProcessError as e:
                raise ListError(f"{path}:{number}: "
                                f"{e.stderr.decode().strip()}") from e
            if not only or p.name in only:
                programs.append(p)
    return programs


def marked(mark):
    """The processes with this mark in their environment, without zombies."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            env = Path(entry.path, "environ").read_bytes()
        except OSError:
            continue
        if wanted in env.split(b"\0"):
            found.append(int(entry.name))
    return found


def end_marked(mark, linger):
    """Ends the processes that still run after ${linger} seconds; returns their number."""
    deadline = time.monotonic() + linger
    while (left := marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    count = len(left)
    deadline = time.monotonic() + GRACE_S
    while left and time.monotonic() < deadline:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)
        left = marked(mark)
    return count


def end_group(process):
    """End the whole process group, first with SIGTERM."""
    for number, wait_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
        except OSError:
            pass
        try:
            process.wait(wait_s)
            if number == signal.SIGKILL:
                return
        except subprocess.TimeoutExpired:
            pass


class Run:
    """The result of one run."""

    def __init__(self):
        self.status = None	# None: it took too long
        self.wall_s = 0.0
        self.left = 0		# number of processes left behind
        self.lines = None	# None: not compared
        self.out = self.err = None


def run(argv, env, cwd, to, mark, limit_s):
    """Runs ${argv} for at most ${limit_s}; its output goes to ${to}.out and
    .err."""
    r = Run()
    r.out, r.err = Path(f"{to}.out"), Path(f"{to}.err")
    begin = time.monotonic()
    with open(r.out, "wb") as out, open(r.err, "wb") as err:
        try:
            p = subprocess.Popen(argv, cwd=cwd, env={**env, MARK: mark},
                                 stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, start_new_session=True)
        except OSError as e:
            err.write(f"{argv[0]}: {e.strerror}\n".encode())
            r.status = 127
            return r
        try:
            r.status = p.wait(limit_s)
        except subprocess.TimeoutExpired:
            end_group(p)
        r.wall_s = time.monotonic() - begin
    if r.status is not None and r.status < 0:
        r.status = 128 - r.status	# as a shell reports it
    r.left = end_marked(mark, 0 if r.status is None else LINGER_S)
    return r


def fresh(source, to):
    """A copy of a program's directory, without what an earlier run wrote."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(source, to, symlinks=True)


def lines_of(program, path):
    """The lines of an output that are compared."""
    with open(path, "rb") as f:
        data = f.read(READ_BYTES)
    if program.sed:
        data = sed(program.sed, data)
    lines = data.decode("utf-8", "replace").splitlines()
    return sorted(lines) if program.sorted else lines


class Own:
    """The behaviour of a program alone: the exit statuses, and which lines of its output
    are the same in every run."""

    def __init__(self, program):
        self.program = program
        self.statuses = set()
        self.lines = None
        self.masked = set()
        self.comparable = not program.status_only
        self.wall_s = []

    def add(self, r):
        """Add one more run alone."""
        self.statuses.add(r.status)
        self.wall_s.append(r.wall_s)
        if not self.comparable:
            return
        lines = lines_of(self.program, r.out)
        if self.lines is None:
            self.lines = lines
        elif len(lines) != len(self.lines):
            self.comparable = False
        else:
            self.masked |= {i for i, (a, b) in
                            enumerate(zip(self.lines, lines)) if a != b}

    def same(self):
        """How much of the output can be compared, as one word."""
        if not self.comparable:
            return "not compared"
        return f"{len(self.masked)} masked" if self.masked else "equal"

    def difference(self, r):
        """The first line that differs, as text; None if none does."""
        if not self.comparable:
            return None
        got = lines_of(self.program, r.out)
        for i, (a, b) in enumerate(zip(self.lines, got)):
            if a != b and i not in self.masked:
                return f"line {i + 1}: {a[:SHOWN]!r} is {b[:SHOWN]!r}"
        if len(got) != len(self.lines):
            return f"{len(got)} lines, not {len(self.lines)}"
        return None
