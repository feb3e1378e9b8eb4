#!/usr/bin/env bash
#
# lint.sh CHECK REPOSITORY BUILD: checks that no compiler makes. Prints what is
# wrong; exit status 1 if anything is, 77 if the check does not apply here.

set -u
check=$1
repo=$2
build=$3
bad=0
cd "$repo" || exit 1

complain() {
	echo "$*"
	bad=1
}

sources() {
	find "$@" -name '*.[ch]' -o -name '*.def' -o -name '*.cu' |
	    grep -v '/compat/' | sort
}

# --- which part may include which ----------------------------------------

# may FOLDER PREFIX…: files of the folder include only from these parts.
may() {
	local folder=$1 file line part ok p
	shift
	while read -r file line; do
		part=${line%%/*}
		case $line in */*) ;; *) continue ;; esac
		ok=
		for p in "$@"; do
			[ "$part" = "$p" ] && ok=1
		done
		[ -n "$ok" ] || complain "$file includes \"$line\": $folder" \
		    "may use $*"
	done < <(sources "$folder" | xargs grep -HoE \
	    '^#[[:space:]]*include[[:space:]]+"[^"]+"' |
	    sed -E 's/:#[[:space:]]*include[[:space:]]+"/ /; s/"$//' |
	    grep -E " (${layers//[[:space:]]/|})/")
}

# The layers, lowest first: a part may include from itself and from lower parts.
# Only the daemon has a store and a server; only the command reads the logs of
# NVIDIA's sanitizer.
layers='wire base facts source model rules config report compare capture sanitizer store service
http cli'

check_includes() {
	local part below=
	for part in $layers; do
		below="$below $part"
		case $part in
		wire) may injection/wire wire ;;
		sanitizer) may daemon/sanitizer wire base sanitizer ;;
		store | service | http) may "daemon/$part" ${below/sanitizer/} ;;
		cli) may daemon/cli ${below/store service http/} ;;
		*) may "daemon/$part" $below ;;
		esac
	done
}

# calls FOLDER: of the objects that the build made of the folder, prints pairs
# of files, one a line: a file, and one whose function or variable it uses.
calls() {
	(cd "$build" && sed -nE "s|.* -o ($1/[^ ]+\.cu?\.o) .*|\1|p" \
	    compile_commands.json | xargs -r nm -gA 2>/dev/null) |
	    sed -E 's|CMakeFiles/[^/]*\.dir/||; s|\.o:[0-9a-f]*||' | awk '
	$2 ~ /[Uvw]/ { used[NR] = $1; name[NR] = $3; next }
	{ defined[$3] = $1 }
	END {
		for (i in used)
			if (name[i] in defined && defined[name[i]] != used[i])
				print used[i], defined[name[i]]
	}' | sort -u
}

# A header must not include itself through others, because it could not be read
# alone; nor may a source file call itself through others.
check_circles() {
	local circle file line part pairs
	circle=$(find daemon injection -name '*.h' | xargs grep -HoE \
	    '^#[[:space:]]*include[[:space:]]+"[^"]+\.h"' |
	    sed -E 's/^(daemon|injection)\///; s/:#[^"]*"/ /; s/"$//' |
	    while read -r file line; do
		[[ $line == */* || $file != */* ]] || line=${file%/*}/$line
		echo "$file $line"
	done | tsort 2>&1 >/dev/null)
	[ -z "$circle" ] || complain "headers in a circle:"$'\n'"$circle"
	for part in daemon injection kernels tests/mock; do
		pairs=$(calls $part)
		[ -n "$pairs" ] || [ $part != daemon ] ||
		    complain "no object of $part is in $build"
		circle=$(tsort <<<"$pairs" 2>&1 >/dev/null)
		[ -z "$circle" ] ||
		    complain "files that call each other:"$'\n'"$circle"
	done
}

# A type's name has one meaning: if a header defines it, no other file that may
# include that header may define it.
check_meanings() {
	local part twice
	for part in daemon injection; do
		twice=$(find $part injection/wire -name '*.[ch]' | sort -u | xargs grep -HoE \
		    '^(static (const )?)?(struct|enum|union) [a-z_0-9]+ \{' | awk '{
			name = $(NF - 1)
			file = $1
			sub(/:.*/, "", file)
			files[name] = files[name] " " file
			count[name]++
			if (file ~ /\.h$/)
				of_header[name] = 1
		}
		END {
			for (name in of_header)
				if (count[name] > 1)
					print name ":" files[name]
		}')
		[ -z "$twice" ] || complain "types of one name:"$'\n'"$twice"
	done
}

# only HEADER PATTERN_OF_FILES: only these files may include it.
only() {
	local file
	for file in $(grep -rlE "^#[[:space:]]*include[[:space:]]*<($1)" \
	    injection daemon --include='*.[ch]'); do
		[[ $file =~ ^($2)$ ]] || complain "$file includes <$1>"
	done
}

check_libraries() {
	only 'cupti[^>]*\.h|cuda\.h' 'injection/cupti_api\.[ch]'
	only 'microhttpd\.h' 'daemon/http/server[a-z_]*\.[ch]'
	only 'sqlite3\.h' \
	    'daemon/(store/[a-z_]+\.[ch]|report/format_sqlite\.c)'
	only 'curl/' 'daemon/cli/client\.[ch]'
	check_names
}

check_banned() {
	local hits
	hits=$(grep -rnE \
	    '(^|[^a-z_])(strcpy|stpcpy|sprintf|vsprintf|strtok|gets)\(' \
	    injection daemon tests kernels --include='*.[ch]' --include='*.cu')
	[ -z "$hits" ] || complain "banned functions:"$'\n'"$hits"
}

# --- what the programs export and print ---------------------------------------

# No two libraries may define a function of the same name: the linker would take
# the first that it meets, for every caller. Nor may a static function have the name of
# a public one: a reader would take one for the other.
check_names() {
	local twice
	twice=$(for lib in wire core service cli; do
		nm --defined-only "$build/lib/libcudadvise_$lib.a" 2>/dev/null
	done | awk '$3 ~ /^(__|_Z)/ { next }
	    $2 == "T" { public[$3]++ }
	    $2 == "t" { static[$3] = 1 }
	    END {
		for (name in public)
			if (public[name] > 1 || name in static)
				print name
	    }' | tr '\n' ' ')
	[ -z "$twice" ] || complain "defined twice: $twice"
}

check_exports() {
	local lib=$build/lib/libcudadvise_injection.so
	[ -f "$lib" ] || exit 77
	for lib in "$build"/lib/libcudadvise_injection*.so; do
		check_library "$lib"
	done
}

check_library() {
	local lib=$1 got want
	got=$(nm -D --defined-only "$lib" | awk '{ print $3 }' |
	    sed 's/@.*//' | grep -v -E '^(__asan|__ubsan|__tsan|__lsan)' |
	    sort | tr '\n' ' ')
	want="InitializeInjection InitializeInjectionNvtx \
InitializeInjectionNvtx2 "
	[ "$got" = "$want" ] || complain "$lib exports: $got"
	# CUPTI, CUDA and C++ must not be linked: they would be loaded into
	# every program.
	readelf -d "$lib" | grep NEEDED | grep -E 'cupti|cuda|stdc\+\+' &&
	    complain "linked against what must be opened at run time"
}

# What the origin of a threshold may be: a document with its section, what
# Nsight does, a measured number, or arithmetic. "default" is not an origin.
origins='arithmetic:|measured[: ]|guide|best practices|nsight (compute|systems)'
words_of_origin=4

# The categories, as described at the top of rules.def.
categories='launch memory shared instruction transfer host correctness'

# The rows of the unit tests, one a line: rule, fires, quiet, nodata.
unit_rows() {
	cat tests/unit/rules*.c | tr -s '[:space:]' ' ' |
	    grep -oE '\{ "[a-z0-9-]+", [a-z_0-9]+, \{[^}]*\}, [a-z_0-9]+ \}'
}

# What is missing in the catalogue itself, one complaint a line.
catalogue_complaints() {
	jq -r --arg from "$origins" --argjson words "$words_of_origin" \
	    --arg categories "$categories" '
	    .items[] | .id as $id |
	    (select([.title, .why, .detects, .advice, .example.bad,
	        .example.good, .next, .sources] |
	        any(. == null or . == "")) |
	        "\($id): a part of its documentation is empty"),
	    (select((.thresholds | length) == 0) | "\($id): no threshold"),
	    (select(.category as $own |
	        $categories | split(" ") | index($own) | not) |
	        "\($id): its category \(.category) is none of \($categories)"),
	    (.thresholds[]? | .key as $key |
	        (.origin // "" | sub("^default:? *"; "")) |
	        select((test($from; "i") | not) or
	            (split(" ") | length < $words)) |
	        "\($id): the origin of \($key) names no source (\($from))")'
}

# A rule that another one explains must ask whether that one found something.
check_explained() {
	local id
	for id in $(grep -v '^ \*' daemon/rules/engine/rules.def | tr '\n' ' ' |
	    grep -oE '\.explains = \{[^}]*\}' | grep -oE '"[^"]+"' |
	    tr -d '"' | sort -u); do
		grep -q 'rule_is_explained(x)' \
		    "daemon/rules/practice/${id//-/_}.c" ||
		    complain "$id: a row of rules.def explains it, and it" \
		        "does not ask rule_is_explained(x)"
	done
}

# A rule must ask for exactly the thresholds of its row, itself or through code that it
# shares with others. A key that its row lacks is NaN, and the rule would be silent.
key_complaints() {
	local rules=daemon/rules/practice word='"\K[a-z0-9_]+(?=")'
	{
		jq -r '.items[] | "row \(.id) \(.thresholds[]?.key)"'
		grep -oPzH "(rule_value\\(x,|\\.key =)\\s*$word" \
		    $rules/*.c $rules/*/*.c | tr '\0' '\n' | sed 's/^/asked /'
		grep -oPH "$word" $rules/*.c $rules/*/*.c daemon/rules/evidence/*.c |
		    sed 's/^/named /'
	} | awk '
	$1 == "row" { row[$2 " " $3]; has[$2]; next }
	{
		split($2, part, ":"); id = part[1]; key = part[2]
		shared = id !~ /practice/
		# A practice may be a file or a folder.
		sub(/.*(practice|evidence)\//, "", id); sub(/[\/.].*/, "", id)
		gsub(/_/, "-", id)
		name = shared ? key : id " " key
		if ($1 == "named")
			named[name]
		else if (id in has && !(name in row) && !said[name]++)
			print id ": " part[1] " asks for the threshold " key \
			    ", which its row in rules.def lacks"
	}
	END {
		for (name in row) {
			split(name, part, " ")
			if (!(name in named) && !(part[2] in named))
				print part[1] ": nothing asks for its threshold " part[2]
		}
	}'
}

# Every practice needs a chapter, thresholds with an origin, a pair of kernels,
# and captures of both variants, with which rules-replay tests that it fires,
# stays quiet and has no data. Before the pair is recorded on a GPU, synthetic
# cases of the three are needed instead.
check_rules() {
	local cli=$build/bin/cudadvise rules id text lines variant line listed=
	local rows unrecorded programs program pairs=tests/rules/expected.json
	rules=$("$cli" rules --json) || exit 1
	[ "$(echo "$rules" | jq '.items | length')" -ge 21 ] ||
	    complain "fewer than 21 practices"
	while read -r line; do
		complain "$line"
	done < <(echo "$rules" | catalogue_complaints)
	[ -x "$build/bin/cudadvise-kernels" ] &&
	    listed=$("$build/bin/cudadvise-kernels" --list)
	rows=$(unit_rows)
	# Pairs of frameworks are Python programs.
	programs=$(echo "$rules" | jq -r '.items[] |
	    select(.pair // "" | endswith(".py")) | .id')
	# Pairs that are not recorded on a GPU yet: rules-replay checks that
	# they have no captures.
	unrecorded=$(jq -r '.pairs | to_entries[] |
	    select(.value.recorded == false) | .key' $pairs)
	while read -r line; do
		complain "$line"
	done < <(echo "$rules" | key_complaints)
	for id in $(echo "$rules" | jq -r '.items[].id'); do
		text=$("$cli" explain "$id") || complain "$id: no explanation"
		mapfile -t lines <<<"$text"
		[ ${#lines[@]} -ge 10 ] ||
		    complain "$id: its explanation has no content"
		program=
		[[ $'\n'$programs$'\n' != *$'\n'$id$'\n'* ]] ||
		    program=kernels/frameworks/${id//-/_}.py
		[ -f "${program:-kernels/${id//-/_}.cu}" ] ||
		    complain "$id: no ${program:-kernels/${id//-/_}.cu}"
		[ -z "$listed" ] || [ -n "$program" ] ||
		    [[ $listed =~ (^|[[:space:]])$id([[:space:]]|$) ]] ||
		    complain "$id: not in cudadvise-kernels --list"
		if [[ $'\n'$unrecorded$'\n' == *$'\n'$id$'\n'* ]]; then
			[[ $rows == *"{ \"$id\", "* ]] ||
			    complain "$id: tests/unit/rules*.c has no row" \
			        "{ \"$id\", fires, { quiet }, no_data }"
			continue
		fi
		for variant in bad good; do
			[ -s "tests/captures/pairs/$id.$variant.cadv" ] ||
			    complain "$id: no capture of its $variant variant:" \
				"record it with tests/gpu/run_pairs.sh, or write" \
				"\"$id\": {\"recorded\": false} into $pairs"
		done
	done
}

check_commands() {
	local cli=$build/bin/cudadvise man name
	man=$(find "$build" -name cudadvise.1 | head -n 1)
	for name in $(sed -nE 's/^COMMAND\([A-Z]+, ([a-z]+),.*/\1/p' \
	    daemon/cli/command.def); do
		"$cli" "$name" --help >/dev/null 2>&1 </dev/null ||
		    complain "cudadvise $name --help fails"
		[ -z "$man" ] || grep -q -E "cudadvise.* $name|$name" "$man" ||
		    complain "$name is not in the manual page"
	done
	"$cli" --help | grep -q run || complain "cudadvise --help"
	for name in $(sed -nE 's/^EXPORTED\(([a-z]+),.*/\1/p
	    s/^WRITTEN\([a-z_]+, "([^"]+)".*/\1/p' daemon/report/format.def); do
		"$cli" export --help | grep -qw -e "$name" ||
		    complain "export --help lacks --format $name"
		"$cli" completion bash | grep -qw -e "$name" ||
		    complain "the completion lacks --format $name"
		[ -z "$man" ] || sed 's/\\//g' "$man" | grep -qw -e "$name" ||
		    complain "--format $name is not in the manual page"
	done
}

# No paths of the build machine, and no notes of unfinished work.
check_words() {
	local hits
	hits=$(git ls-files | grep -v -E 'package-lock.json|\.cadv$|^web/dist/' |
	    grep -v '^tests/lint/' | xargs grep -nIE \
	    "$(pwd -P)/|TODO|FIXME" 2>/dev/null)
	[ -z "$hits" ] || complain "$hits"
}

# Every record of the protocol needs a paragraph "**NAME** (number): …" that
# names each of its fields in backquotes, except pads, which have no meaning.
check_protocol() {
	local wire=injection/wire name number fields field text records=0
	while read -r name number fields; do
		records=$((records + 1))
		text=$(awk -v RS= -v start="**$name** ($number):" \
		    'index($0, start) == 1' $wire/PROTOCOL.md)
		[ -n "$text" ] || complain "PROTOCOL.md has no paragraph" \
		    "\"**$name** ($number): …\""
		for field in ${text:+$fields}; do
			[ "$field" = pad ] || [[ $text == *"\`$field\`"* ]] ||
			    complain "PROTOCOL.md: $name does not say what" \
			        "\`$field\` is"
		done
	done < <(cpp -P -w -D'RECORD(n,i,d,f)=n i f ;' -D'U8(n)=n' -D'U16(n)=n' \
	    -D'U32(n)=n' -D'U64(n)=n' -D'F64(n)=n' -D'STR(n)=n' -D'BLOB(n)=n' \
	    - <$wire/record.def | tr '\n;' ' \n')
	[ $records -gt 0 ] || complain "no record was read from $wire/record.def"
}

# Code must not compare texts written for people: if the text changes, the
# comparison fails. Compare a code instead (facts/reason.def, enum error_code).
# These files compare the output of other programs:
#   source_first.c  C++ signatures of the CUDA runtime, in debug information
#   source/         nvdisasm
#   sanitiz*        compute-sanitizer
#   cli/daemon.c    the name before a message of the daemon it started
foreign='daemon/(model/lines/source_first|source/[a-z_]+|sanitizer/[a-z_]+|'
foreign+='rules/practice/sanitizer_findings|cli/sanitize|cli/daemon)\.c'

# Finds comparing calls with a literal argument of several words, and such
# comparisons in the page.
check_sentences() {
	local hits string='"(?:[^"\\\n]|\\.)*"'
	local words='"(?:[^"\\\n]|\\.)*[[:alpha:],]+ (?:[^"\\\n]|\\.)*"'
	local inside="(?:[^()\"]|$string|(?<p>\\((?:[^()\"]|$string|(?&p))*\\)))*?"
	local calls='str(n?case)?(n?cmp|str)|starts_with|ends_with'
	hits=$(find daemon injection -name '*.c' | grep -vE "^$foreign\$" |
	    xargs grep -lPzo "\b($calls)\($inside$words")
	[ -z "$hits" ] || complain "a sentence is compared in"$'\n'"$hits"
	words="['\"][^'\"]*[[:alpha:]] [^'\"]*['\"]"
	hits=$(grep -rnE --include='*.ts' --include='*.tsx' \
	    "(includes|startsWith|endsWith|indexOf)\($words|[!=]== $words" \
	    web/src | grep -v "hot\.what\.startsWith('of ')")
	[ -z "$hits" ] || complain "a sentence is compared:"$'\n'"$hits"
}

# The files of check_format, all at once: one process for each file takes ten
# times as long.
formatted() {
	git ls-files -z '*.c' '*.h' '*.sh' '*.def' | while IFS= read -r -d '' file; do
		[ ! -f "$file" ] || printf '%s\0' "$file"
	done
}

check_format() {
	local hits
	hits=$(formatted | xargs -0 grep -nHE '[[:space:]]+$')
	[ -z "$hits" ] || complain "space at the end:"$'\n'"$hits"
	hits=$(formatted | xargs -0 grep -nHE 'return \([^()]*\);')
	[ -z "$hits" ] || complain "return x, not return (x):"$'\n'"$hits"
	hits=$(formatted | grep -zv '\.def$' | xargs -0 awk '{
		line = $0
		while ((at = index(line, "\t")) > 0)
			line = substr(line, 1, at - 1) sprintf("%*s",
			    8 - (at - 1) % 8, "") substr(line, at + 1)
		if (length(line) > 100)
			print FILENAME ":" FNR
	}')
	[ -z "$hits" ] || complain "longer than 100 columns:"$'\n'"$hits"
}

# The rules of .clang-format that tests/lint/format.py enforces. .cu files are
# left out because captures refer to their lines, the corpus because it is
# written as other people write.
check_layout() {
	command -v clang-format >/dev/null || exit 77
	formatted | grep -zE '\.[ch]$' | grep -zvE '^tests/(gpu/corpus|captures)/' |
	    xargs -0 -n 100 -P 4 tests/lint/format.py ||
	    complain "tests/lint/format.py --mend FILE mends all but 'columns'"
}

"check_$check"
exit $bad
