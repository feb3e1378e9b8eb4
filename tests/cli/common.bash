# What every CLI test starts with: programs from $BIN, and directories of its
# own, so that no test sees a daemon or runs of the person's.

setup() {
	export PATH="$BIN:$PATH"
	# Sockets have short paths: mktemp's, not bats' nested ones.
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
	# A test that failed may have left it stopped.
	pkill -CONT -F "$CUDADVISE_RUNTIME_DIR/cudadvised.pid" 2>/dev/null || true
	cudadvise daemon stop -q || true
	cd /
	rm -rf "$HOME_DIR"
}

# attended COMMAND: as from a terminal. Whoever runs the tests in the background
# may have INT, QUIT and HUP ignored, for all below. (PIPE: python does.)
attended() {
	python3 -c '
import os, signal, sys
for s in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE:
    signal.signal(s, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

# on_terminal TEXT ACTION COMMAND: under a terminal of its own; what that shows, and
# the status. When TEXT is there the shell does ACTION; what that prints is typed.
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

# A capture of a program without CUDA, recorded without a daemon.
make_capture() {
	cudadvise run -q --no-daemon -o "$1" sh -c 'exit 0'
}

# The capture ${1} as a newer version would write it.
make_newer() {
	python3 - "$1" "$2" <<-'SCRIPT'
		import sys
		data = open(sys.argv[1], "rb").read()
		data = data.replace(b"CADF\x01\x00", b"CADF\x09\x00")
		open(sys.argv[2], "wb").write(data)
	SCRIPT
}

# How many runs the daemon knows.
count_runs() {
	cudadvise list --json | jq '.items | length'
}
