#!/usr/bin/env bash
# Checks that the compiler refuses forbidden code on a render path, and accepts permitted code: functions
# marked @_noAllocation @_noLocks, each compiled with the flags of a release build.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
swiftc=${SWIFTC:-$(dirname "$(command -v "$swift")")/swiftc}

fail() {
    printf 'annotations: %s\n' "$@" >&2
    exit 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# compile NAME: compiles the file on standard input; its diagnostics are in NAME.log.
compile() {
    { printf 'import Synchronization\n'; cat; } >"$folder/$1.swift"
    "$swiftc" -O -whole-module-optimization -D REALTIME_CHECKS -parse-as-library \
        -c "$folder/$1.swift" -o "$folder/$1.o" >"$folder/$1.log" 2>&1
}

# refused NAME: the checked function on standard input must fail, and only by the check.
faults=0
refused() {
    if compile "$1"; then fail "$1 was let through"; fi
    if grep 'error:' "$folder/$1.log" | grep -vE 'can (cause|have) .*(allocation|lock|performance)' >/dev/null ||
        ! grep -q 'error:' "$folder/$1.log"; then
        cat "$folder/$1.log"
        fail "$1 was refused, but not by the check"
    fi
    faults=$((faults + 1))
}

mark='
#if REALTIME_CHECKS
@_noAllocation @_noLocks
#endif
'
refused array <<<"$mark public func f(_ n: Int) -> Int { [Int](repeating: n, count: n).count }"
refused object <<<"final class Node { var n = 1 }; $mark public func f() -> Int { Node().n }"
refused closure <<<"$mark public func f(_ n: Int) -> () -> Int { { n } }"
refused text <<<"$mark public func f(_ n: Int) -> String { \"n = \(n)\" }"
refused printing <<<"$mark public func f() { print(1) }"
refused mutex <<<"$mark public func f(_ m: borrowing Mutex<Int>) -> Int { m.withLock { \$0 } }"
refused existential <<<"public protocol P { func g() -> Int }; $mark public func f(_ p: any P) -> Int { p.g() }"
refused retaining <<<"public final class Node { public var table: [Int] = []; public init() {} }; $mark public func f(_ n: Node) -> Int { let t = n.table; return t[0] }"
# A path is annotated at its beginning. The compiler checks all called code, through private functions, methods and
# generic functions.
refused deep <<<"@inline(never) func g(_ n: Int) -> Int { h(n) }; @inline(never) func h(_ n: Int) -> Int { [Int](repeating: n, count: n).count }; $mark public func f(_ n: Int) -> Int { g(n) }"
refused method <<<"struct Leaf { var n = 1; @inline(never) fileprivate mutating func grow() { n = [Int](repeating: n, count: n).count } }
struct Branch { private var leaf = Leaf(); @inline(never) mutating func step() { leaf.grow() } }; $mark public func f() { var b = Branch(); b.step() }"
refused generic <<<"protocol P { func g() -> Int }; struct A: P { func g() -> Int { [Int](repeating: 1, count: 9).count } }
struct G<X: P> { let x: X; @inline(never) func h() -> Int { x.g() } }; $mark public func f() -> Int { G(x: A()).h() }"

compile clean <<<"$mark public func f(_ p: UnsafeMutablePointer<Float>, _ n: Int, _ a: borrowing Atomic<Int>) -> Int {
    for i in 0..<n { p[i] = p[i] * 0.5 }
    return a.load(ordering: .acquiring)
}" || {
    cat "$folder/clean.log"
    fail "what may be on a render path was refused"
}

# The package must also enable the check in the builds where the check works. In a separate folder, because another
# build locks .build.
"$swift" package --scratch-path "$folder/build" dump-package >"$folder/package.json"
tr -d ' \n' <"$folder/package.json" |
    grep -E '"config":"release"[^}]*},"kind":\{"define":\{"_0":"REALTIME_CHECKS"' >/dev/null ||
    fail "Package.swift does not define REALTIME_CHECKS for release builds"
echo "annotations: $faults faults refused, a clean path accepted"
