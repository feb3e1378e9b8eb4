#!/usr/bin/env bats
# mcp: golden transcripts of both versions of the protocol, errors, and running
# programs.

bats_require_minimum_version 1.5.0
load common

transcripts="$SOURCE/tests/cli/mcp"
pairs="$SOURCE/tests/captures/pairs"

@test "both eras: the transcripts" {
	python3 "$SOURCE/tests/cli/mcp.py" "$BIN/cudadvise" \
	    "$transcripts/legacy.txt" "$transcripts/modern.txt"
}

@test "invalid requests get the protocol's errors, and nothing else is printed" {
	python3 "$SOURCE/tests/cli/mcp.py" "$BIN/cudadvise" "$transcripts/wrong.txt"
}

@test "while a program runs other requests are answered; a cancelled one ends" {
	export TMPDIR=$HOME_DIR/tmp
	mkdir "$TMPDIR"
	python3 "$SOURCE/tests/cli/mcp.py" "$BIN/cudadvise" "$transcripts/running.txt"
	run -1 kill -0 "$(cat pid)"
	[ -z "$(ls "$TMPDIR")" ]
}

@test "a client that vanishes: its program ends" {
	mkfifo in
	cudadvise mcp < in > out 3>&- &
	exec 9> in
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize"}' >&9
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"profile","arguments":{"argv":["sh","-c","echo $$ > pid; exec sleep 600"]}}}' >&9
	until [ -s pid ]; do sleep 0.02; done
	exec 9>&-
	wait $!
	run -1 kill -0 "$(cat pid)"
	[ "$(wc -l < out)" -eq 1 ]
}

# As from a pipe that closes: requests that only read are answered although no
# more will come.
@test "all requests at once, and then end of file" {
	for id in 1 2 3; do
		echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"method\":\"tools/call\",\"params\":{\"name\":\"explain\",\"arguments\":{\"rule\":\"tail-effect\"}}}"
	done > asked
	{ echo '{"jsonrpc":"2.0","id":0,"method":"initialize"}'; cat asked; } |
	    cudadvise mcp > said
	[ "$(jq -s -c 'map(.id) | sort' said)" = "[0,1,2,3]" ]
	jq -s -e '.[1:] | all(.result.isError == false and
	    (.result.content[0].text | contains("last wave")))' said
}

@test "lines of any bytes and any length" {
	run -0 --separate-stderr sh -c '{ printf "\377\000\n\n"
	    head -c 3000000 /dev/zero | tr "\0" "["; echo
	    echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"; } |
	    cudadvise mcp | jq -c "[.id, .error.code]"'
	[ "$output" = $'[null,-32700]\n[null,-32700]\n[1,null]' ]
	[ -z "$stderr" ]
}

# Invalid lines, from a fixed seed: lines of the transcripts with bytes changed,
# duplicated and removed. None runs a program, because it might become a different one.
@test "lines that are nearly right: answered by JSON, or not at all" {
	cat > fuzz.py <<-'END'
		import json, random, subprocess, sys
		lines = [l[2:].encode() for f in sys.argv[1:] for l in open(f).read().splitlines()
		         if l.startswith("> ") and "argv" not in l]
		r, sent = random.Random(1), []
		for n in range(600):
		    b = bytearray(r.choice(lines))
		    for _ in range(r.randrange(1, 5)):
		        at, what = r.randrange(len(b)), r.randrange(4)
		        if what == 0: b[at] = r.randrange(256)
		        elif what == 1: b[at:at] = b[at:at + r.randrange(40)]
		        elif what == 2 and len(b) > 40: del b[at:at + r.randrange(20)]
		        else: b[at:at] = r.choice([b"null", b"[" * 3000, b"-1e999", b"\\u0000", b'"', b"{}"])
		    sent.append(bytes(b).replace(b"tools/call", b"tools/cal1"))
		sent.append(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
		p = subprocess.run(["cudadvise", "mcp"], input=b"\n".join(sent) + b"\n", capture_output=True)
		said = [json.loads(l) for l in p.stdout.splitlines()]
		assert p.returncode == 0 and p.stderr == b"", p.stderr
		assert len(said) > 300 and said[-1] == {"jsonrpc": "2.0", "id": "last", "result": {}}
		assert all(m["jsonrpc"] == "2.0" and ("result" in m) != ("error" in m) for m in said)
	END
	python3 fuzz.py "$transcripts"/*.txt
}

# Calls every tool on a capture: the answers must be short, and valid by their schemas.
@test "the tools: each answers, in 2,000 tokens" {
	cat > play.py <<-'END'
		import json, subprocess, sys
		bad, good, coarse = sys.argv[1:]
		p = subprocess.Popen(["cudadvise", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
		def call(method, **params):
		    p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
		    p.stdin.flush()
		    return json.loads(p.stdout.readline())["result"]
		call("initialize", protocolVersion="2025-11-25")
		tools = {t["name"]: t for t in call("tools/list")["tools"]}
		calls = [("findings", {"run": bad}), ("finding", {"run": bad, "id": "f9bcd2644ce0a93a"}),
		         ("source", {"run": bad}), ("kernels", {"run": bad, "limit": 3}),
		         ("compare", {"before": bad, "after": good}), ("verify", {"before": bad, "after": good}),
		         ("explain", {"rule": "tail-effect"}), ("doctor", {}), ("runs", {"limit": 2}),
		         ("findings_of_all_runs", {"rule": "uncoalesced-global-access", "limit": 2}),
		         ("ab", {"before": ["sh", "-c", "exit 0"], "after": ["true"], "runs": 1}),
		         ("profile", {"argv": ["true"], "level": "trace"})]
		assert {n for n, a in calls} == tools.keys(), tools.keys()
		quoting = {"runs", "finding", "findings_of_all_runs", "source", "kernels", "compare", "verify"}
		said = {}
		for name, arguments in calls:
		    r = call("tools/call", name=name, arguments=arguments)
		    text, schema = r["content"][0]["text"], tools[name]["outputSchema"]
		    data = r["structuredContent"]
		    assert set(schema["required"]) == set(data) == set(schema["properties"])
		    # An agent may be shown either the text or the data.
		    assert data["text"] == text if name != "finding" else data["finding"] == json.loads(text)
		    assert text.startswith("Names, commands and source lines") == (name in quoting - {"finding"}), name
		    assert text and len(text.encode()) <= 6500, (name, len(text))
		    assert set(arguments) <= set(tools[name]["inputSchema"]["properties"])
		    assert tools[name]["annotations"]["readOnlyHint"] == (name not in ("profile", "ab"))
		    said[name] = text
		    assert not r["isError"] or name == "doctor", (name, text)
		assert "line 43" in said["findings"] and '"id":"f9bcd2644ce0a93a"' in said["finding"]
		page = call("tools/call", name="findings", arguments={"run": coarse})["content"][0]["text"]
		assert "line not known: needs --level auto" in page and "-lineinfo" not in page
		assert "uncoalesced-global-access" in said["findings_of_all_runs"]
		for replay, told in (True, "1"), (False, ""):
		    page = call("tools/call", name="profile", arguments={"level": "trace", "replay": replay,
		        "argv": ["sh", "-c", "echo replay=$CUDADVISE_REPLAY"]})["content"][0]["text"]
		    # Without the injection library the program is not told.
		    assert f"| replay={told}\n" in page or "not found beside this program" in page, page
		# Options are cudadvise's wherever they stand; the program has
		# its own arguments.
		page = call("tools/call", name="profile", arguments={"level": "counters", "label": "mine", "kernel": "k",
		    "argv": ["sh", "-c", "echo args: $*", "x", "y"]})["content"][0]["text"]
		assert "; level counters;" in page and "| args: y\n" in page, page
		assert "\nThe program exited with 7.\n" in call("tools/call", name="profile", arguments={"limit_s": 60.0,
		    "argv": ["sh", "-c", "exit 7"]})["content"][0]["text"]
		assert "mine" in call("tools/call", name="runs", arguments={"limit": 2})["content"][0]["text"]
		none = call("tools/call", name="finding", arguments={"run": bad, "id": "0123456789abcdef"})
		assert none["isError"] and none["structuredContent"]["text"] == none["content"][0]["text"]
		# A kernel's name of 4 kB: what does not fit is left out, and
		# the answer says so.
		lines = subprocess.run(["cudadvise", "show", "--format", "jsonl", "hostile.cadv"], capture_output=True)
		longest = max(lines.stdout.splitlines(), key=len)
		assert len(longest) > 6500
		r = call("tools/call", name="finding", arguments={"run": "hostile.cadv", "id": json.loads(longest)["id"]})
		text, data = r["content"][0]["text"], r["structuredContent"]
		assert len(text) < 6500 and json.loads(text) == data["finding"] and data["left_out_bytes"] > 200
		assert data["finding"]["advice"] and not r["isError"]
		asked = call("tools/call", name="compare", arguments={"before": bad, "after": good, "allow": "arguments"})
		assert "--allow" in said["compare"] and "--allow" not in asked["content"][0]["text"]
		assert "kept" in said["verify"] and "inconclusive" in said["ab"]
		p.stdin.close()
		sys.exit(p.wait())
	END
	cudadvise import -q "$pairs/uncoalesced-global-access.bad.cadv"
	"$BIN/make_capture" hostile.cadv --launches 3 --graph --long --source
	python3 play.py "$pairs/uncoalesced-global-access.bad.cadv" \
	    "$pairs/uncoalesced-global-access.good.cadv" "$pairs/tail-effect.bad.cadv"
}

@test "skill: a SKILL.md that names only existing commands" {
	cudadvise skill > SKILL.md
	[ "$(head -n 1 SKILL.md)" = --- ]
	for c in $(grep -o '`cudadvise [a-z]*' SKILL.md | awk '{ print $2 }' | sort -u); do
		cudadvise "$c" --help > /dev/null
	done
}
