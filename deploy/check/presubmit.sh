#!/usr/bin/env bash
# Checks a script, and hands it to a scheduler unless it does not fit:
#
#   bash presubmit.sh train.sbatch --gpu h100-sxm --deadline-h 24 -- sbatch train.sbatch
#   bash presubmit.sh run.sh --gpu h200-sxm --gpus 16 -- ray job submit --working-dir . -- bash run.sh
#
# What is tight is submitted with a warning; what cannot be told is not, unless ANYWAY=1.
set -uo pipefail

check=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  check+=("$1")
  shift
done
[ $# -gt 1 ] || {
  echo "usage: presubmit.sh SCRIPT [OPTION…] -- COMMAND…" >&2
  exit 2
}
shift
shardwise check "${check[@]}" >&2
status=$?
case $status in
  0 | 3) ;;
  *)
    if [ "${ANYWAY:-}" != 1 ]; then
      echo "Not submitted. ANYWAY=1 submits it all the same." >&2
      exit "$status"
    fi
    ;;
esac
exec "$@"
