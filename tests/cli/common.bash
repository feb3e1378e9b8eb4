# Set-up for every CLI test: programs from $BIN and directories of its own, so
# that no test uses the user's daemon or runs.

setup() {
	export PATH="$BIN:$PATH"
	# A socket's path must be short: mktemp's directory, not bats' nested ones.
	HOME_DIR=$(mktemp -d /tmp/cadv-cli-XXXXXX)
	export HOME="$HOME_DIR/home"
	export CUDADVISE_RUNTIME_DIR="$HOME_DIR/run"
	export CUDADVISE_STATE_DIR="$HOME_DIR/state"
	export CUDADVISE_CONFIG="$HOME_DIR/cudadvised.conf"
	: > "$CUDADVISE_CONFIG"
	unset XDG_RUNTIME_DIR XDG_STATE_HOME XDG_CONFIG_HOME \
	    CUDA_INJECTION64_PATH CLICOLOR_FORCE NO_COLOR
	export LC_ALL=C.UTF-8 TERM=dumb COLUMNS=80
	mkdir -m 700 "$HOME" "$HOME_DIR/work"
	cd "$HOME_DIR/work" || return 1
}

teardown() {
	# A failed test may have left the daemon stopped.
	pkill -CONT -F "$CUDADVISE_RUNTIME_DIR/cudadvised.pid" 2>/dev/null || true
	cudadvise daemon stop -q || true
	cd /
	rm -rf "$HOME_DIR"
}

# attended COMMAND: run it with default signal actions, as from a terminal. INT,
# QUIT and HUP may be ignored for everything started by a background test run.
# (PIPE: python ignores it.)
attended() {
	python3 -c '
import os, signal, sys
for s in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE:
    signal.signal(s, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

# on_terminal TEXT ACTION COMMAND: run it on a terminal of its own; prints what
# the terminal shows, and the status. When TEXT appears the shell runs ACTION,
# and its output is typed in.
on_terminal() {
	TERM=xterm attended timeout 60 python3 -c '
import os, pty, subprocess, sys
text, action = sys.argv[1:3]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
out = b""
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    out += data
    if action and text.encode() in out:
        typed = subprocess.run(action, shell=True, stdout=subprocess.PIPE)
        os.write(fd, typed.stdout)
        action = ""
print(out.decode().replace("\x1b", "ESC").replace("\r", "CR"))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$@"
}

# Records a capture of a program without CUDA, without a daemon.
make_capture() {
	cudadvise run -q --no-daemon -o "$1" sh -c 'exit 0'
}

# Rewrites the capture ${1} as a newer version would.
make_newer() {
	python3 - "$1" "$2" <<-'SCRIPT'
		import sys
		data = open(sys.argv[1], "rb").read()
		data = data.replace(b"CADF\x01\x00", b"CADF\x09\x00")
		open(sys.argv[2], "wb").write(data)
	SCRIPT
}

# The number of runs that the daemon has.
count_runs() {
	cudadvise list --json | jq '.items | length'
}
