#!/usr/bin/env python3
"""Lists the changes between two files of `make bench`: scripts/bench/bench-compare.py OLD NEW

A figure is marked if the change exceeds the spread: the middle halves of both runs do not overlap, and the medians
differ by more than 3 % (10 % for a figure with fewer than three runs). The cause can be the code or the machine, so
machine, kernel and load of both runs come first.
"""
import json
import sys
from pathlib import Path


def read(path):
    try:
        file = json.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"bench-compare: {path}: {error}; `make bench` writes such files to .build-bench")
    return file, {(row["benchmark"], row["name"]): row for row in file["rows"]}


def verdict(old, new):
    """better, worse, changed, or an empty text."""
    before, after = old["median"], new["median"]
    if before is None or after is None:
        return "" if before == after else "changed"
    least = 0.03 if old["runs"] > 2 and new["runs"] > 2 else 0.10
    if abs(after - before) <= least * max(abs(before), abs(after)):
        return ""
    if old["low"] <= new["high"] and new["low"] <= old["high"]:
        return ""
    if new["better"] == "neither":
        return "changed"
    return "better" if (after < before) == (new["better"] == "lower") else "worse"


def number(value):
    return "-" if value is None else f"{value:.4g}"


def compare(old, new):
    lines, counts = [], {}
    for key in [*old, *(key for key in new if key not in old)]:
        if key not in old or key not in new:
            word = "new" if key in new else "gone"
            median = (new if key in new else old)[key]["median"]
            columns = ["-", number(median)] if key in new else [number(median), "-"]
            lines.append((key, *columns, "", word))
        else:
            before, after = old[key]["median"], new[key]["median"]
            ratio = f"{after / before:.3f}" if before and after is not None else ""
            word = verdict(old[key], new[key])
            lines.append((key, number(before), number(after), ratio, word))
        counts[word] = counts.get(word, 0) + 1
    return lines, counts


def plant():
    """Checks that the report has planted changes, and no equal figures."""
    def row(median, spread=0.0, runs=5, better="lower"):
        return {"median": median, "low": median - spread, "high": median + spread, "runs": runs, "better": better}
    for old, new, wanted in [
        (row(10), row(12), "worse"), (row(10), row(8), "better"), (row(10, 2), row(12, 2), ""), (row(10), row(10.2), ""),
        (row(10, better="higher"), row(12, better="higher"), "better"), (row(10, runs=1), row(10.9, runs=1), ""),
        (row(10, runs=1), row(12, runs=1), "worse"), (row(10, better="neither"), row(12, better="neither"), "changed"),
    ]:
        assert verdict(old, new) == wanted, (old, new, wanted)


def main():
    if len(sys.argv) != 3 or not all(sys.argv[1:]):
        sys.exit("usage: make bench-compare OLD=FILE NEW=FILE")
    plant()
    (old_file, old), (new_file, new) = read(sys.argv[1]), read(sys.argv[2])
    for key in ("commit", "time", "machine", "processors", "kernel", "compiler", "load_before"):
        before, after = old_file.get(key), new_file.get(key)
        print(f"{key:12} {before}" if before == after else f"{key:12} {before}  ->  {after}")
    lines, counts = compare(old, new)
    group = None
    for (benchmark, name), before, after, ratio, word in lines:
        if benchmark != group:
            group = benchmark
            print(f"\n{benchmark:60} {'old':>10} {'new':>10} {'ratio':>8}")
        print(f"  {name[:58]:58} {before:>10} {after:>10} {ratio:>8}  {word}")
    told = ", ".join(f"{count} {word or 'within the spread'}" for word, count in sorted(counts.items(), reverse=True))
    print(f"\n{len(lines)} figures: {told}")


main()
