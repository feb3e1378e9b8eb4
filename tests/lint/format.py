#!/usr/bin/env python3
"""format.py [--mend] FILE...: is this C written as .clang-format says?

Prints each place that is not, and what would mend it; exit status 1 if there is one, 2 if
clang-format fails. --mend rewrites the files (except for `columns`).

clang-format chooses all line breaks itself, and puts a comment after code one blank
behind it. In this project the author chooses where an expression breaks, and such comments
are aligned in a column. So only these of its changes count:
  inline   blanks within a line
  indent   the indentation of a statement
  blank    more than one empty line
  break    a statement behind its `if (...)`; a `{` or an `else` in a line of its own
and one thing that it does not check:
  columns  a continuation line is indented by tabs and four blanks, inside a row of a table
           by two more
Changes in a macro's definition do not count, nor those where it takes C for C++ (`new`,
`operator *`, `(x) - y` as a cast).
"""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

CLANG_FORMAT = os.environ.get("CLANG_FORMAT", "clang-format")
CPP_WORDS = re.compile(r"\b(class|delete|new|not|operator|template|this|typename)\b")
CAST = re.compile(r"\)(\s*[-*+&]+\||\|[-*+&])")     # before or after |
BODY = re.compile(r"(\)|\belse|\bdo)$")     # what a statement may follow


def changes(paths):
    """The replacements of clang-format in each file: (from, to, text), in bytes."""
    out = subprocess.run([CLANG_FORMAT, "--style=file", "--output-replacements-xml"] +
                         paths, capture_output=True, check=True).stdout
    documents = out.split(b"<?xml version='1.0'?>")[1:]
    if len(documents) != len(paths):
        raise OSError(f"{CLANG_FORMAT} said nothing of some files")
    for path, document in zip(paths, documents):
        yield path, [(int(r.get("offset")), int(r.get("offset")) + int(r.get("length")),
                      r.text or "") for r in tree.fromstring(document).iter("replacement")]


def kind_of(before, old, new, after):
    """The kind of a change; None if it does not count. before and after: the rest of the
    line before old, and of the line after it."""
    if "\n" not in old and "\n" not in new:
        if new not in ("", " ") or re.match(r"/[/*]", after) or \
                CPP_WORDS.search(before + after) or before.startswith("#") or \
                CAST.search(before.rstrip() + "|" + after):
            return None
        return "inline"
    if "\n" in old and "\n" in new:
        if old.count("\n") > max(new.count("\n"), 2):
            return "blank"
        was, wanted = old.rsplit("\n", 1)[1], new.rsplit("\n", 1)[1]
        # Macros may be labels of a switch.
        continues = was.strip("\t") and " " * 8 not in was
        if was == wanted or continues or wanted.strip("\t") or \
                re.match(r"[A-Z][A-Z_0-9]*\(", after):
            return None
        return "indent"
    if "\n" in old:
        opens = after.startswith("{") and BODY.search(before)
        goes_on = before.endswith("}") and re.match(r"(else|while)\b", after)
        return "break" if opens or goes_on else None
    if new == "\n" and re.match(r"\w.*[\w*]$", before) and re.match(r"\w+\(", after):
        return "break"          # a function's name is the first in its line
    body = BODY.search(before) and not new.strip("\n\t") and not after.startswith("}")
    return "break" if body else None


def judge(path, replacements, mend):
    """The places of a file that are not laid out as they should be."""
    with open(path, "rb") as f:
        source = f.read()
    said, out, at = [], b"", 0
    for start, end, new in replacements:
        line = source.rfind(b"\n", 0, start) + 1
        before, old = source[line:start].decode(), source[start:end].decode()
        after = source[end:].split(b"\n", 1)[0].decode()
        if source[:line].endswith(b"\\\n") or after.endswith("\\") or "\\" in old:
            continue
        kind = kind_of(before, old, new, after)
        if kind is None:
            continue
        number = source.count(b"\n", 0, start) + 1
        said.append(f"{path}:{number}: {kind}: {before.strip()}«{repr(new)[1:-1]}»{after}")
        out += source[at:start] + new.encode()
        at = end
    if said and mend:
        with open(path, "wb") as f:
            f.write(out + source[at:])
    return said + list(columns(path, source.decode()))


def columns(path, source):
    """Lines that do not begin with tabs and two, four or six blanks."""
    comment = False
    for number, line in enumerate(source.split("\n"), 1):
        if not comment and re.match(r"\t*( +\t|( |   |     |      [ ]+)[^ *\\])", line):
            yield f"{path}:{number}: columns: {line.strip()}"
        if comment or "/*" in line:
            comment = "*/" not in line[max(line.rfind("/*"), 0):]


def main(arguments):
    mend = arguments[:1] == ["--mend"]
    bad = False
    try:
        for path, replacements in changes(arguments[mend:]):
            for said in judge(path, replacements, mend):
                print(said)
                bad = True
    except (OSError, subprocess.CalledProcessError) as e:
        print(f"format.py: {e}", file=sys.stderr)
        return 2
    return bad and not mend


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
