#!/bin/sh
# Runs the run documents of this bundle on a host without a network, or those given as arguments.
#
#   OUT=results BUDGET_SECONDS=3600 sh run.sh [RUN.json ...]
#
# OUT             folder for the results (required); results.tar.gz there grows after every run
# BUDGET_SECONDS  everything ends within this time, unpacking included (default 3600)
# PREFIX          folder to unpack into; a second call finds it and goes on (default: in TMPDIR)
# PYTHON          Python of the target (default python3)
# DEVICES         GPUs to run on side by side, such as 0,1 (default: one run at a time with every GPU)
# ONLY            "unpack" unpacks and stops, "probe" also writes probe.json; otherwise everything
set -eu
started=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-${TMPDIR:-/tmp}/northstar-offline}
mkdir -p "$prefix" "${OUT:?is the folder for the results}"
out=$(cd "$OUT" && pwd)
for document; do
  case $document in /*) ;; *) document=$PWD/$document ;; esac
  set -- "$@" "$document"
  shift
done
"${PYTHON:-python3}" -I "$here/unpack.py" "$prefix"
# A folder without packages of its own: Python looks into the current one first.
mkdir -p "$prefix/empty" && cd "$prefix/empty"
exec "$prefix/python/bin/python" -m workers.offline.execute --prefix "$prefix" --out "$out" \
  --started "$started" --budget "${BUDGET_SECONDS:-3600}" --devices "${DEVICES:-}" --only "${ONLY:-all}" -- "$@"
