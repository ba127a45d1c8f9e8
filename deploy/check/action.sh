#!/usr/bin/env bash
# The step of action.yml: its inputs are INPUT_… in the environment. Writes annotations, a summary and the verdict.
set -euo pipefail
shopt -s globstar nullglob

# Lines of an input, each a path or a pattern; no word of it is run.
paths() {
  local line
  while IFS= read -r line; do
    [ -z "$line" ] && continue
    local IFS=
    # shellcheck disable=SC2206
    local found=($line)
    if [ ${#found[@]} = 0 ]; then
      # A pattern that matches nothing is none; a path that is not there is an error, which the program names.
      case $line in *[\*\?\[]*) ;; *) printf '%s\n' "$line" ;; esac
    else
      printf '%s\n' "${found[@]}"
    fi
  done <<<"$1"
}

options=(--skip-others)
for name in GPU GPUS MODEL CONFIDENCE STEPS DEADLINE_H BUDGET_USD LANG; do
  input=INPUT_$name
  value=${!input:-}
  option=${name,,}
  [ -z "$value" ] || options+=("--${option//_/-}=$value")
done
while IFS= read -r file; do
  [ -z "$file" ] || options+=("--with=$file")
done < <(paths "${INPUT_WITH:-}")
mapfile -t files < <(paths "$INPUT_FILES")
if [ ${#files[@]} = 0 ]; then
  echo "No file matches: $INPUT_FILES"
  echo "verdict=fits" >>"$GITHUB_OUTPUT"
  exit 0
fi

status=0
shardwise check "${options[@]}" --format github -- "${files[@]}" || status=$?
case $status in
  0) verdict=fits ;;
  1) verdict=unknown ;;
  3) verdict=tight ;;
  4) verdict=unfit ;;
  *) exit "$status" ;;
esac
echo "verdict=$verdict" >>"$GITHUB_OUTPUT"
{
  echo '```'
  shardwise check "${options[@]}" -- "${files[@]}" || true
  echo '```'
} >>"$GITHUB_STEP_SUMMARY"

case ${INPUT_FAIL_ON:-unfit}:$verdict in
  nothing:* | *:fits | unfit:tight | unfit:unknown | tight:unknown) exit 0 ;;
  unfit:* | tight:* | unknown:*) exit "$status" ;;
  *)
    echo "fail-on is ${INPUT_FAIL_ON}. Give unfit, tight, unknown or nothing."
    exit 2
    ;;
esac
