#!/usr/bin/env bash
# Runs arrow-go's own tests of arrow/ipc against ipcx: those that use the
# package's public interface. They are copied from the Go module cache to a
# temporary folder, with the import of arrow/ipc pointed at ipcx, there and in
# the helper package that writes and reads their files.
#
# It fails where a test fails that is not among the exceptions, where one of the
# exceptions does not fail (any more), and where a test was not run at all.
#
#	scripts/upstream-tests.sh [arguments for go test -c, as -race]
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"

# Tests that fail, by their names, with the reason.
declare -A exceptions=(
)

tests=(file_test.go ipc_test.go stream_test.go) # those of package ipc_test
helpers=arrow/internal/arrdata/ioutil.go        # which opens readers and writers for them

arrow=github.com/apache/arrow-go/v18
ours=github.com/arrowplanes/arrowplanes
cd "$root"
go mod download "$arrow"
source="$(go list -m -f '{{.Dir}}' "$arrow")"
version="$(go list -m -f '{{.Version}}' "$arrow")"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/module"
cp -R "$source/." "$work/module"
chmod -R u+w "$work/module"
cd "$work/module"

# The other tests of the folder are inside the package, and test what is theirs.
for f in arrow/ipc/*_test.go; do
	case " ${tests[*]} " in
	*" $(basename "$f") "*) ;;
	*) rm "$f" ;;
	esac
done
for f in "${tests[@]/#/arrow/ipc/}" "$helpers"; do
	[ -f "$f" ] || { echo "arrow-go $version has no $f"; exit 1; }
	sed -i.bak "s|^\([[:space:]]*\)\"$arrow/arrow/ipc\"\$|\1ipc \"$ours/ipcx\"|" "$f"
	rm "$f.bak"
done
# A test file that does not import ipc itself goes through the helpers.
if ! grep -q "\"$ours/ipcx\"" "$helpers" || grep -rl "\"$arrow/arrow/ipc\"" arrow/ipc/*_test.go "$helpers"; then
	echo "arrow-go $version: an import of arrow/ipc was not found, or is left"
	exit 1
fi

go mod edit -require "$ours@v0.0.0" -replace "$ours@v0.0.0=$root"
cat "$root/go.sum" >>go.sum
export GOFLAGS="${GOFLAGS:-} -mod=mod" GOWORK=off

# -trimpath, or another folder each time would mean to build all of it anew.
go test -c -trimpath -o "$work/tests" "$@" ./arrow/ipc
cd arrow/ipc
"$work/tests" -test.list . >"$work/listed"
status=0
"$work/tests" -test.v >"$work/log" 2>&1 || status=$?

# name result, for tests, subtests and examples
sed -nE 's/^ *--- (PASS|FAIL|SKIP): ([^ ]+) \(.*/\2 \1/p' "$work/log" | sort -u >"$work/results"
wrong=0
failed() { grep -q "^$1 FAIL\$" "$work/results"; }

while read -r name result; do
	[ "$result" = FAIL ] || continue
	if grep -q "^$name/.* FAIL\$" "$work/results"; then
		continue # one of its subtests did, which is looked at by itself
	fi
	if [ -n "${exceptions[$name]:-}" ]; then
		echo "fails, as it must: $name: ${exceptions[$name]}"
	else
		echo "FAILS: $name"
		wrong=1
	fi
done <"$work/results"
for name in "${!exceptions[@]}"; do
	if ! failed "$name"; then
		echo "AN EXCEPTION THAT DOES NOT FAIL: $name: ${exceptions[$name]}"
		wrong=1
	fi
done
ran=0
while read -r name; do
	case "$name" in Test* | Example*) ;; *) continue ;; esac
	if grep -q "^$name " "$work/results"; then
		ran=$((ran + 1))
	else
		echo "WAS NOT RUN: $name"
		wrong=1
	fi
done <"$work/listed"
if [ "$ran" = 0 ] || { [ "$status" != 0 ] && ! grep -q ' FAIL$' "$work/results"; }; then
	echo "ENDED WITH STATUS $status, $ran tests run"
	wrong=1
fi

if [ "$wrong" != 0 ]; then
	grep -vE '^ *(=== RUN|=== PAUSE|=== CONT|=== NAME|--- PASS)' "$work/log" | head -n 200
	exit 1
fi
echo "arrow-go $version: $ran tests and examples, $(grep -c ' PASS$' "$work/results") passed with their subtests, ${#exceptions[@]} exceptions"
