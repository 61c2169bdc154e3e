# One command of the agent's terminal. It runs in a bash of its own that begins as the last one ended (directory,
# variables, functions, aliases, options), so that `exit`, a syntax error or `set -e` never end the terminal.
#
#   DIRECTORY BOUNDARY LIMIT, with the state that the last command left, BOUNDARY and the command on standard input
#
# DIRECTORY gets files `output` and, while it runs, `pid`. Answers the exit code, the directory, the number of jobs left
# running and the size of the output, each ended by NUL, then the new state, BOUNDARY, the output's beginning, BOUNDARY
# and its end.
directory=$1 boundary=$2 limit=$3
payload=$(cat; printf x)
payload=${payload%x}
mkdir -p "$directory" && echo $$ >"$directory/pid" || exit 90
cat >"$directory/before" <<'BEFORE' || exit 90
__tb_directory=$1
__tb_command=$(cat "$1/command")
__tb_finish() {
  local __tb_code=$1 __tb_name
  trap - EXIT
  set +o >"$__tb_directory/options" # in a command substitution `set -e` would not be seen
  set +xeuf
  {
    printf '%s\0' "$PWD" "$(jobs -pr | wc -l)"
    printf 'cd -- %q\numask %s\n' "$PWD" "$(umask)"
    for __tb_name in $(compgen -v); do
      case $__tb_name in
        BASH* | __tb_* | COMP_* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HISTCMD | LINENO | OPT* | PIPESTATUS) ;;
        PPID | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | UID | _) ;;
        *) declare -p "$__tb_name" ;;
      esac
    done
    unset -f __tb_finish
    declare -f
    alias -p
    shopt -p
    cat "$__tb_directory/options"
  } >"$__tb_directory/after.new"
  mv -f "$__tb_directory/after.new" "$__tb_directory/after"
  return "$__tb_code"
}
trap '{ __tb_finish $?; } 2>/dev/null' EXIT
shopt -s expand_aliases
set --
BEFORE
printf '%s' "${payload%%"$boundary"*}" >>"$directory/before" &&
  printf '%s' "${payload#*"$boundary"}" >"$directory/command" || exit 90
unset payload

bash --noprofile --norc -c '. "$1/before" 2>/dev/null; eval "$__tb_command"; { __tb_finish $?; } 2>/dev/null' \
  bash "$directory" >"$directory/output" 2>&1 </dev/null
code=$?

if [ -f "$directory/after" ]; then
  {
    IFS= read -r -d '' place
    IFS= read -r -d '' jobs
    state=$(cat)
  } <"$directory/after"
else # the command put itself in the shell's place, with `exec`: nothing is known of how it ended
  place='' jobs=0 state=''
fi
size=$(stat -c %s "$directory/output" 2>/dev/null || echo 0)
printf '%s\0%s\0%s\0%s\0%s%s' "$code" "$place" "$jobs" "$size" "$state" "$boundary"
if [ "$size" -le "$limit" ]; then
  cat "$directory/output"
  printf '%s' "$boundary"
else
  head -c $((limit / 2)) "$directory/output"
  printf '%s' "$boundary"
  tail -c $((limit / 2)) "$directory/output"
fi
rm -f "$directory/before" "$directory/after" "$directory/command" "$directory/options" "$directory/pid"
[ "$jobs" != 0 ] || [ "$size" -gt "$limit" ] || rm -rf "$directory"
