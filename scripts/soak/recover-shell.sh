#!/usr/bin/env bash
# Makes a shell of SQLite with a working `.recover`, and prints the path; a second run only prints the path.
#
#   scripts/soak/recover-shell.sh [FOLDER]      default: woodshed-sqlite-shell in the folder for temporary files
#
# Debian's shell has the command, but its library lacks the table of pages that the command reads. The script compiles
# the same sources with the table. `WOODSHED_SQLITE_SHELL` names another shell with a working `.recover`.
set -euo pipefail

folder=${1:-${TMPDIR:-/tmp}/woodshed-sqlite-shell}
shell=${WOODSHED_SQLITE_SHELL:-$folder/sqlite3}
if command -v "$shell" >/dev/null; then
    echo "$shell"
    exit
fi

fail() {
    echo "recover-shell: $1" >&2
    echo "recover-shell: name a shell of SQLite whose .recover works: WOODSHED_SQLITE_SHELL=PATH" >&2
    exit 1
}

command -v apt-get >/dev/null || fail "there is no apt-get to get the sources with"
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
cd "$folder"
# Sources are seldom in the list of a machine, and the list stays the same.
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $codename main" >sources.list
options=(-qq -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache")
{
    apt-get "${options[@]}" update && apt-get "${options[@]}" source sqlite3 &&
        cd sqlite3-*/ && ./configure --disable-shared --disable-readline --disable-tcl && make sqlite3.c shell.c &&
        cc -O1 -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_FTS5 -o "$folder/sqlite3.new" shell.c sqlite3.c -lpthread -ldl -lm
} >"$folder/log" 2>&1 || fail "the sources could not be compiled; see $folder/log"
mv "$folder/sqlite3.new" "$folder/sqlite3"
echo "$folder/sqlite3"
