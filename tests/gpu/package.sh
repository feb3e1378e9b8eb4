#!/bin/bash
# package.sh BUILD DIR [PROGRAM…]: what the GPU tests take of a build (commands, libraries,
# the programs of bin/gpu, or these of them), stripped, with the shared libraries that they
# need: for a machine that has a GPU but not the packages. There the scripts take DIR as
# their build folder, with CUDADVISE_DATA_DIR set to the sources' config. Needs patchelf.
set -eu
BUILD=$(cd "${1:?usage: package.sh BUILD DIR [PROGRAM…]}" && pwd)
mkdir -p "${2:?usage: package.sh BUILD DIR [PROGRAM…]}"
DIR=$(cd "$2" && pwd)
shift 2
programs=("$BUILD"/bin/gpu/*)
[ $# -eq 0 ] || programs=("${@/#/$BUILD/bin/gpu/}")
command -v patchelf >/dev/null || {
	echo "package.sh: patchelf is missing: apt-get install patchelf" >&2
	exit 1
}

# needed FILE: the libraries that it is loaded with, but the C library's own and CUDA's,
# which every machine with a driver and a toolkit has.
needed() {
	ldd "$1" 2>/dev/null | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -v -E \
	    '/(lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so|libcu|libnv|ld-linux)' || true
}

# take FILE FOLDER: copy it there, stripped, with what it needs in DIR/dep.
take() {
	local to=$DIR/$2/$(basename "$1") library up
	mkdir -p "$DIR/$2" "$DIR/dep"
	cp "$1" "$to"
	strip --strip-debug "$to"
	for library in $(needed "$1"); do
		cp -Ln "$library" "$DIR/dep/"
	done
	up=$(sed 's/[^/]*/../g' <<<"$2")
	[ -z "$(needed "$1")" ] || patchelf --set-rpath "\$ORIGIN/$up/dep" "$to"
}

for file in "$BUILD"/bin/{cudadvise,cudadvised,cudadvise-kernels,rules-withheld}; do
	[ ! -x "$file" ] || take "$file" bin
done
for file in "${programs[@]}"; do
	take "$file" bin/gpu
done
for file in "$BUILD"/lib/*.so*; do
	[ -L "$file" ] || take "$file" lib
done
for file in "$DIR"/dep/*; do
	chmod u+w "$file"
	patchelf --set-rpath '$ORIGIN' "$file"
done
du -sh "$DIR"
