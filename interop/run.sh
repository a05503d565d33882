#!/usr/bin/env bash
# Tries our files with the other implementations of Arrow, and theirs with ours:
#
#	interop/run.sh
#
# The table of the results goes to standard output and to those of README.md and
# interop/RESULTS.md that have the markers for it. The run fails if anything
# accepts a flagged message, does not read what it should, or writes what we do
# not read.
#
# What the implementations need is installed with pip, npm and mvn, in versions
# that python/requirements.txt, javascript/package-lock.json and java/pom.xml
# pin, into a folder of its own that the next run finds again: INTEROP_CACHE, or
# arrowplanes-interop in the user's cache.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
here="$root/interop"
cache="${INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/arrowplanes-interop}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"

step() { printf -- '-- %s (%ds)\n' "$1" "$SECONDS" >&2; }

# install NAME FILE COMMAND installs what FILE names, unless that was done. The
# mark comes last, so that a failure is not taken for an installation.
install() {
	local name="$1" file="$2" sum
	sum="$(sha256sum <"$file")"
	if [ "$(cat "$cache/$name.installed" 2>/dev/null)" = "$sum" ]; then
		return
	fi
	step "installing $name"
	rm -rf "${cache:?}/$name" "$cache/$name.installed"
	mkdir -p "$cache/$name"
	"install_$name"
	printf '%s\n' "$sum" >"$cache/$name.installed"
}

install_python() {
	python3 -m venv "$cache/python"
	"$cache/python/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$here/python/requirements.txt"
}

install_javascript() {
	cp "$here/javascript/package.json" "$here/javascript/package-lock.json" "$here/javascript/.npmrc" "$cache/javascript/"
	(cd "$cache/javascript" && npm ci --silent --ignore-scripts --no-audit --no-fund)
}

install_java() {
	cp "$here/java/pom.xml" "$cache/java/"
	(cd "$cache/java" && mvn -q -B -Dstyle.color=never dependency:copy-dependencies -DoutputDirectory=lib)
}

install python "$here/python/requirements.txt"
install javascript "$here/javascript/package-lock.json"
install java "$here/java/pom.xml"

step "our files"
(cd "$root" && go run ./interop/make "$work")

# pyarrow comes first: its files tell whose fault it is where another
# implementation cannot read ours.
for name in pyarrow polars nanoarrow arro3; do
	step "$name"
	timeout 300 "$cache/python/bin/python" -B "$here/python/driver.py" "$name" "$work" 2>"$work/$name.err" ||
		{ tail -20 "$work/$name.err" >&2; exit 1; }
done

step "JavaScript"
cp "$here/javascript/driver.mjs" "$cache/javascript/"
timeout 300 node "$cache/javascript/driver.mjs" "$work"

# Java twice: as it comes, and with the allocator and the setting that check the
# least.
step "Java"
mkdir "$work/classes"
javac -d "$work/classes" -cp "$cache/java/lib/*" "$here/java/Driver.java"
version="$(basename "$cache"/java/lib/arrow-vector-*.jar .jar)"
java=(timeout 300 java --add-opens=java.base/java.nio=ALL-UNNAMED -cp "$work/classes:$cache/java/lib/*")
"${java[@]}" -Darrow.allocation.manager.type=Netty Driver "$work" Netty "${version#arrow-vector-}"
"${java[@]}" -Darrow.allocation.manager.type=Unsafe -Darrow.enable_unsafe_memory_access=true \
	Driver "$work" "Unsafe without checks" "${version#arrow-vector-}" refuse

step "the results"
(cd "$root" && go run ./interop/check "$work" README.md interop/RESULTS.md)
step "done"
