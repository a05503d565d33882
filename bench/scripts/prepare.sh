#!/usr/bin/env bash
# Installs what the benchmarks need besides Go, with pip, into a folder that the
# next run finds again:
#
#	prepare.sh python CACHE           the libraries to compare with
#	prepare.sh lineitem CACHE SCALE   TPC-H lineitem, as CACHE/lineitem-SCALE.arrow
#
# Versions are pinned by ../python/requirements.txt.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
what="$1" cache="$2"
mkdir -p "$cache"

# The mark comes last, so that a failure is not taken for an installation.
sum="$(sha256sum <"$here/python/requirements.txt")"
if [ "$(cat "$cache/python.installed" 2>/dev/null)" != "$sum" ]; then
	rm -rf "${cache:?}/python"
	python3 -m venv "$cache/python"
	"$cache/python/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$here/python/requirements.txt"
	printf '%s\n' "$sum" >"$cache/python.installed"
fi

if [ "$what" = lineitem ] && [ ! -e "$cache/lineitem-$3.arrow" ]; then
	work="$(mktemp -d "$cache/lineitem.XXXXXX")"
	trap 'rm -rf "$work"' EXIT
	"$cache/python/bin/tpchgen-cli" parquet -s "$3" --tables=lineitem --output-dir="$work"
	"$cache/python/bin/python" -B "$here/python/lineitem.py" "$work/lineitem.parquet" "$work/lineitem.arrow"
	mv "$work/lineitem.arrow" "$cache/lineitem-$3.arrow"
fi
