#!/usr/bin/env bash
# Tests the checks that keep programs in C running with later libraries: plants each change of a header that breaks such
# programs, which the checks must find, and each harmless change, which must pass.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
scripts=$PWD/scripts
# shellcheck source=scripts/tests/planted-faults.sh
. scripts/tests/planted-faults.sh

# The declarations in compiled programs stay the same as in the last release, whose tag has the header.
lay_interface() {
    lay_module
    mkdir -p "$folder/CSources/CWoodshed/include" "$folder/packaging/debian" "$folder/Sources/Woodshed" "$folder/Bindings/Python"
    printf 'public let woodshedVersion = "0.2.0"\n' >"$folder/Sources/Woodshed/Version.swift"
    printf '## Unreleased\n' >"$folder/CHANGELOG.md"
    cp "$scripts"/checks/{c-abi,c-comments,c-layout,c_header,python-tables}.py "$folder/scripts/checks/"
    printf 'WOODSHED_0 {\n    global: woodshed_*;\n    local: *;\n};\n' >"$folder/CSources/CWoodshed/libwoodshed.map"
    printf '%s\n' '#include <stdint.h>' '/** The version. Since 100. */' '#define WOODSHED_API_VERSION 100' \
        '/** A number. */' 'typedef enum woodshed_kind {' '    WOODSHED_FIRST = 0' '} woodshed_kind;' \
        '/** A struct. */' 'typedef struct woodshed_place {' '    uint32_t size;' '    int32_t kind;' '    int64_t start;' '    int64_t end;' \
        '} woodshed_place;' '/** A struct that is padded. */' 'typedef struct woodshed_span {' '    uint32_t size;' '    int32_t kind;' \
        '    int64_t frames;' '    int32_t passes;' '} woodshed_span;' '/** A part of a union. */' 'typedef struct woodshed_part {' '    int64_t lost;' '} woodshed_part;' \
        'typedef union woodshed_data {' '    woodshed_part part;' '    int64_t reserved[4];' '} woodshed_data;' \
        'typedef struct woodshed_event {' '    uint32_t size;' '    int32_t kind;' '    woodshed_data data;' '} woodshed_event;' \
        '/** A level, which has no size. */' 'typedef struct woodshed_level {' '    double peak;' \
        '} woodshed_level;' '/** A handle. */' 'typedef struct woodshed_player woodshed_player;' '/** News, with a struct for each kind. */' \
        'typedef struct woodshed_news {' '    uint32_t size;' '    woodshed_player *player;' '    union {' '        struct {' \
        '            int64_t frame;' '            int8_t step;' '        } began;' '        struct woodshed_over {' \
        '            double levels[2][3];' '            char name[5];' '        } over;' '    } data;' '    union {' '        float ratio;' \
        '        int16_t count;' '    };' '    const struct woodshed_later *later;' '    void (*ask)(void *context, const struct woodshed_news *news);' \
        '    const char *text;' '} woodshed_news;' '/** A struct that others use before. */' 'typedef struct woodshed_later {' \
        '    const struct woodshed_later *next;' '    woodshed_level level;' '} woodshed_later;' \
        'typedef void (*woodshed_callback)(void *context, int32_t kind);' '/** Measures. Since 100. */' \
        'int32_t woodshed_measure(const woodshed_place *place, int32_t channel, woodshed_level *levels);' '/** Listens. Since 100. */' \
        'void woodshed_listen(woodshed_callback callback, void *context);' >"$folder/CSources/CWoodshed/include/woodshed.h"
}
release_interface() { plain_git init -q && plain_git add . && plain_git commit -qm Release && plain_git tag v0.1.0; }
change() { sed -i "$1" "$folder/CSources/CWoodshed/include/woodshed.h"; }
compiled() { "$folder/scripts/checks/c-abi.py"; }
lay_interface && expect nothing "an interface without a repository, which is told as not compared" bash -c "'$folder/scripts/checks/c-abi.py'; test \$? -eq 77"
plain_git init -q && expect nothing "an interface that was never released" compiled
printf '## 0.2.0 - 2026-12-24\n## 0.1.0 - 2026-06-24\n' >"$folder/CHANGELOG.md" && expect found "releases without their tags" compiled
rm -rf "${folder:?}/.git" && lay_interface && release_interface && expect nothing "the interface of the last release" compiled
# changed WANTED DESCRIPTION CHANGE: the interface of the last release, and this change of the header.
changed() {
    plain_git checkout -q . && change "$3"
    expect found "what is planted for '$2'" plain_git diff --quiet
    expect "$1" "$2" compiled
    expect nothing "no mere error for '$2'" awk '/Traceback/ { exit 1 }' <<<"$(cat "$folder/output")"
}
higher='s/API_VERSION 100/API_VERSION 101/'
changed found "a function that was removed" '/^void woodshed_listen/d'
changed found "a parameter of another type" 's/int32_t channel/uint32_t channel/'
changed found "a parameter more" 's/int32_t channel/int32_t channel, int32_t more/'
changed found "a function that returns something else" 's/^int32_t woodshed_measure/int64_t woodshed_measure/'
changed found "a callback of another type" 's/void \*context, int32_t kind/void *context, int64_t kind/'
changed found "fields in another order" 's/int64_t start/int64_t other/; s/int64_t end/int64_t start/; s/int64_t other/int64_t end/'
changed found "a field of another type" 's/int64_t start/double start/'
changed found "a field of another type, in a struct of a union" 's/int64_t frame;/double frame;/'
changed found "a field with another place, in a struct of a union" 's/char name\[5\]/char name[9]/'
changed found "another number" 's/WOODSHED_FIRST = 0/WOODSHED_FIRST = 1/'
second='s/WOODSHED_FIRST = 0/WOODSHED_FIRST = 0, WOODSHED_SECOND = 1/'
changed nothing "one more number" "$second; $higher"
changed found "one more number, in the same version" "$second"
bits='/API_VERSION/a #define WOODSHED_BITS 3'
changed nothing "one more constant" "$bits"$'\n'"$higher"
changed found "one more constant, in the same version" "$bits"
kind='/^typedef void/i typedef int32_t woodshed_other;'
changed nothing "one more type" "$kind"$'\n'"$higher"
changed found "one more type, in the same version" "$kind"
changed found "a struct that has grown within its padding" "s/int32_t passes;/int32_t passes; int32_t more;/; $higher"
changed nothing "a struct that has grown at its end" "s/int64_t end;/int64_t end; int64_t more;/; $higher"
changed found "a struct that has grown, in the same version" 's/int64_t end;/int64_t end; int64_t more;/'
changed found "a struct that has grown, with a field of another type" "s/int64_t end;/int64_t end; int64_t more;/; s/int64_t start/double start/; $higher"
changed found "a struct without its size that has grown" "s/double peak;/double peak; double more;/; $higher"
changed nothing "a struct that has grown within its union" "s/int64_t lost;/int64_t lost; int64_t more;/; $higher"
changed found "a struct that has grown within its union, in the same version" 's/int64_t lost;/int64_t lost; int64_t more;/'
changed found "a struct in a union with a field of another type" 's/int64_t lost/double lost/'
changed found "a struct that has grown with its union" "s/int64_t lost;/int64_t lost; int64_t more[8];/; $higher"
member='s/woodshed_part part;/woodshed_part part; int64_t other;/'
changed nothing "one more member of a union" "$member; $higher"
changed found "one more member of a union, in the same version" "$member"
changed found "a union that has grown" "s/reserved\\[4\\]/reserved[8]/; $higher"
added='/^void woodshed_listen/a /** Since 101. */\nint32_t woodshed_more(void);'
newer=$added$'\n'$higher
changed nothing "a function more" "$newer"
changed found "a function more, in the same version" "$added"
changed found "a function that claims to be older" "${newer/101/100}"
another='s/API_VERSION 100/API_VERSION 200/; s/int64_t start/double start/'
changed found "another interface under the same node of versions" "$another"
plain_git checkout -q . && sed -i 's/WOODSHED_0/WOODSHED_1/' "$folder/CSources/CWoodshed/libwoodshed.map" && expect found "another node of versions" compiled
change "$another" && expect nothing "another interface under another node of versions" compiled
rm -rf "${folder:?}/.git"
# The comments of the header.
comments() { "$folder/scripts/checks/c-comments.py" "$folder/CSources/CWoodshed/include/woodshed.h"; }
lay_interface && expect nothing "comments with all first versions" comments
statuses='typedef enum woodshed_status {\n    WOODSHED_OK = 0,\n    WOODSHED_INVALID = 64\n} woodshed_status;\n'
# commented WANTED DESCRIPTION COMMENT: one more function, with this comment.
commented() {
    lay_interface && printf '%b\n' "$statuses" "$3" 'woodshed_status woodshed_more(void);' >>"$folder/CSources/CWoodshed/include/woodshed.h"
    expect "$1" "$2" comments
}
commented nothing "a function that names its statuses" '/** Measures. @return WOODSHED_INVALID. Since 100. */'
commented found "a function without a comment" ''
commented found "a function that names no status" '/** Measures. Since 100. */'
commented found "a function that names an unknown status" '/** Measures. @return WOODSHED_GONE. Since 100. */'
commented found "a function without its first version" '/** Measures. @return WOODSHED_INVALID. */'
section='/* ---- Measures. Since 100. ---- */\n/** Measures. @return WOODSHED_INVALID. */'
commented nothing "a function in a section with a first version" '/*\n * CONTENTS\n *\n * Measures  loudness\n */\n'"$section"
commented found "a function in a section without a first version" '/*\n * CONTENTS\n *\n * Measures  loudness\n */\n'"${section/. Since 100/}"
commented found "a section that the table of contents lacks" '/*\n * CONTENTS\n *\n * Meters  loudness\n */\n'"$section"
# The tables of the module for Python.
write_tables() { "$folder/scripts/checks/python-tables.py"; }
tables() { "$folder/scripts/checks/python-tables.py" --check; }
# stale WANTED DESCRIPTION CHANGE: the tables as written, and this change of the header.
stale() {
    lay_interface && write_tables && change "$3"
    expect "$1" "$2" tables
    expect nothing "no mere error for '$2'" awk '/Traceback/ { exit 1 }' <<<"$(cat "$folder/output")"
}
lay_interface && expect found "tables that were never written" tables
stale nothing "the tables of the header" '/^$/d'
stale found "a number that the tables lack" 's/WOODSHED_FIRST = 0/WOODSHED_FIRST = 0, WOODSHED_SECOND = 1/'
stale found "a constant with another number" "$higher"
stale found "a field that the tables lack" 's/int64_t end;/int64_t end; int64_t more;/'
stale found "a field that the tables lack, in a struct of a union" 's/int8_t step;/int8_t step; int8_t more;/'
stale found "a function that the tables lack" '/^void woodshed_listen/a int32_t woodshed_more(void);'
stale found "a parameter of another type" 's/int32_t channel/int64_t channel/'
stale found "a field of single bits, which has no place" 's/int64_t end;/int32_t end : 3;/'
stale found "an array of a struct without a name" 's/} began;/} began[2];/'
stale found "a struct without a name" 's/^typedef struct woodshed_level {/typedef struct {/'
stale found "an enumeration without a name" '/^typedef enum/i enum { WOODSHED_BITS = 3 };'
stale found "a type that ctypes does not have" 's/double peak;/_Complex double peak;/'
stale found "a constant that is no number" '/API_VERSION/a #define WOODSHED_BITS (1 << 3)'
lay_interface && write_tables && sed -i 's/"began"/"begun"/' "$folder/Bindings/Python/_woodshed_tables.py" && expect found "tables changed by hand" tables
# A fault of the script itself, which the compiler's layout shows.
lay_interface && sed -i 's/f"c_{sign}int{bits}"/f"c_{sign}int32"/' "$folder/scripts/checks/python-tables.py" && expect found "numbers of another length" write_tables
change '/^void woodshed_listen/a const char *woodshed_name(woodshed_player *player, float *const *channels, const char *const *names);'
cp "$scripts/checks/python-tables.py" "$folder/scripts/checks/" && write_tables && expect nothing "structs, unions and functions for Python" \
    env PYTHONPATH="$folder/Bindings/Python" python3 -B -c 'import ctypes
from _woodshed_tables import *
import _woodshed_tables as tables
text, later = b"over", later(level=level(peak=0.5))
news = news(ratio=1, later=ctypes.pointer(later), text=text)
news.data.began.frame = 7
assert news.size == ctypes.sizeof(news) and kind == {"first": 0} and API_VERSION == 100
assert (news.ratio, news.count, news.data.over.levels[0][0] > 0, news.later[0].level.peak, news.player) == (1, 0, True, 0.5, None)
floats, texts = ctypes.POINTER(ctypes.POINTER(ctypes.c_float)), ctypes.POINTER(ctypes.c_char_p)
assert tables._FUNCTIONS["name"] == [ctypes.c_char_p, ctypes.c_void_p, floats, texts]
assert tables._FUNCTIONS["listen"] == [None, callback, ctypes.c_void_p]'
# The list of symbols for the packages.
symbols() { "$scripts/checks/check.py" --in "$folder" c-symbols; }
lay_interface && printf '%s\n' 'libwoodshed.so.1 libwoodshed1 #MINVER#' '* Build-Depends-Package: libwoodshed-dev' \
    ' woodshed_listen@WOODSHED_0 0.0.1' ' woodshed_measure@WOODSHED_0 0.0.1' >"$folder/packaging/debian/libwoodshed1.symbols"
release_interface && expect nothing "a list of all symbols" symbols
change "$added" && expect found "a symbol that is not listed" symbols
echo " woodshed_more@WOODSHED_0 0.0.1" >>"$folder/packaging/debian/libwoodshed1.symbols" && expect found "a new symbol with an old version" symbols
sed -i '$s/0\.0\.1/0.2.0/' "$folder/packaging/debian/libwoodshed1.symbols" && expect nothing "a new symbol with its version" symbols
plain_git checkout -q . && change '/^void woodshed_listen/d' && expect found "a listed symbol that is gone" symbols
rm -rf "${folder:?}/.git"

echo "c-abi: $((checks - failures)) of $checks behave"
[ $failures -eq 0 ]
