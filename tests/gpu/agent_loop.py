#!/usr/bin/env python3
"""agent_loop.py BUILD OUT [PAIR…]: what a coding agent does with `cudadvise mcp` on
this machine's GPU: profile, read the first finding, edit, profile, verify. Does so for
three reference pairs (or PAIR…), with the old and the new version of the protocol. The
messages are those of @modelcontextprotocol/client 2.4.0, without node;
tests/cli/mcp.test.mjs does the same with the SDK and a stand-in for the GPU. The edited
file is a script that runs the bad variant. OUT/agent_loop.jsonl gets all messages; one
line a pair is printed. Exit status 1: a finding was not the pair's own, or its
prediction was not kept.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

PAIRS = ["uncoalesced-global-access", "shared-bank-conflicts", "many-small-copies"]
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": {"name": "loop", "version": "1"},
          "io.modelcontextprotocol/clientCapabilities": {}}


class Client:
    def __init__(self, cudadvise, modern, log):
        self.modern, self.id, self.log = modern, -1, log
        self.server = subprocess.Popen([cudadvise, "mcp"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        if modern:
            self.ask("server/discover", {})
        else:
            self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "loop", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list", {})

    def send(self, message):
        line = json.dumps(message)
        self.log.write("> " + line + "\n")
        self.server.stdin.write(line + "\n")
        self.server.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        if self.modern:
            params = {**params, "_meta": MODERN}
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        for line in self.server.stdout:
            self.log.write("< " + line)
            message = json.loads(line)
            if message.get("id") == self.id:
                return message["result"]
        raise EOFError("the server ended")

    def call(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        return result["content"][0]["text"]

    def close(self):
        self.server.stdin.close()
        return self.server.wait()


def loop(client, kernels, pair, place):
    """The outcome of the prediction, and the last page."""
    app = os.path.join(place, "app.sh")
    with open(app, "w", encoding="utf-8") as f:
        f.write(f"exec {kernels} {pair} --variant bad\n")
    page = client.call("profile", argv=["sh", "app.sh"], cwd=place)
    first = re.search(r"^\[([0-9a-f]{16})\] ([a-z0-9-]+):", page, re.M)
    if not first:
        return "nothing found", page
    told = json.loads(client.call("finding", id=first[1]))
    if told["rule"] != pair:
        return "first is " + told["rule"], page
    with open(app, encoding="utf-8") as f:
        text = f.read()
    with open(app, "w", encoding="utf-8") as f:
        f.write(text.replace("--variant bad", "--variant good"))
    client.call("profile", argv=["sh", "app.sh"], cwd=place)
    said = client.call("verify")
    verdict = re.search(r"^  (kept|partly|missed|unknown) ", said, re.M)
    return verdict[1] if verdict else "no verdict", said


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    build, out = map(os.path.abspath, sys.argv[1:3])
    os.makedirs(out, exist_ok=True)
    cudadvise = os.path.join(build, "bin", "cudadvise")
    kernels = os.path.join(build, "bin", "cudadvise-kernels")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="cadv.", dir="/tmp") as scratch, \
            open(os.path.join(out, "agent_loop.jsonl"), "w", encoding="utf-8") as log:
        for name, sub in (("RUNTIME_DIR", "r"), ("STATE_DIR", "s")):
            os.mkdir(os.path.join(scratch, sub), 0o700)
            os.environ["CUDADVISE_" + name] = os.path.join(scratch, sub)
        # Calibrate, because a user's predictions use this GPU's measured ceilings.
        done = subprocess.run([cudadvise, "calibrate"], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            print("not calibrated:", done.stderr.strip())
        for modern in (False, True):
            for pair in sys.argv[3:] or PAIRS:
                begin = time.monotonic()
                place = tempfile.mkdtemp(dir=scratch)
                client = Client(cudadvise, modern, log)
                said, page = loop(client, kernels, pair, place)
                status = client.close()
                print(f"{'2026-07-28' if modern else '2025-11-25'}  {pair:28s} {said}, "
                      f"{time.monotonic() - begin:.1f} s", flush=True)
                if said != "kept" or status != 0:
                    failed = 1
                    print(f"exit status {status}\n{page}", flush=True)
        subprocess.run([cudadvise, "daemon", "stop", "-q"], check=False)
    return failed


if __name__ == "__main__":
    try:
        probe = os.path.join(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "."),
                             "bin", "gpu", "launch_loop")
        if subprocess.run([probe, "1"], capture_output=True, check=False).returncode:
            print("skipped: no GPU")
            sys.exit(77)
    except OSError as e:
        print("skipped:", e)
        sys.exit(77)
    sys.exit(main())
