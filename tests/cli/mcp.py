#!/usr/bin/env python3
"""mcp.py CUDADVISE TRANSCRIPT...: compare a server with golden transcripts. Lines that
begin with "> " are sent unchanged. Lines with "< " are the expected answers, as JSON in
which the string "*" matches anything and "*text" a string that contains the text.
"! SECONDS" waits. With UPDATE=1 in the environment the answers are recorded instead."""
import json, os, select, subprocess, sys, time

PATIENCE = 60                           # seconds, which only a server that hangs needs


def same(want, got):
    if want == "*":
        return True
    if isinstance(want, str) and want.startswith("*"):
        return isinstance(got, str) and want[1:] in got
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(same(want[k], got[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(same, want, got))
    return type(want) is type(got) and want == got


def receive(server):
    if not select.select([server.stdout], [], [], PATIENCE)[0]:
        return None
    return server.stdout.readline().decode()


def play(program, path):
    server = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    lines, bad = open(path).read().splitlines(), 0
    for n, line in enumerate(lines):
        if line.startswith("> "):
            server.stdin.write(line[2:].encode() + b"\n")
        elif line.startswith("! "):
            time.sleep(float(line[2:]))
        elif line.startswith("< "):
            got = receive(server)
            if os.environ.get("UPDATE"):
                lines[n] = "< " + (got or "").rstrip("\n")
            elif not got or not same(json.loads(line[2:]), json.loads(got)):
                print(f"{path}:{n + 1}: wanted {line[2:]}\n  got {got}")
                bad = 1
                break
    server.stdin.close()
    rest = server.stdout.read().decode()
    if rest and not os.environ.get("UPDATE"):
        print(f"{path}: and then came {rest}")
        bad = 1
    if server.wait(PATIENCE) != 0:
        print(f"{path}: it ended with {server.returncode}")
        bad = 1
    if os.environ.get("UPDATE"):
        open(path, "w").write("\n".join(lines) + "\n")
    return bad


sys.exit(max(play(sys.argv[1], path) for path in sys.argv[2:]))
