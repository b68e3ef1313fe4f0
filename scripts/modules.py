#!/usr/bin/env python3
"""The picture of modules and their dependencies in docs/architecture.md, made from the package's own description.

  scripts/modules.py [FOLDER]          writes it between its two markers
  scripts/modules.py --check [FOLDER]  fails if the page shows another one; changes nothing

A dependency that follows from others is left out of the picture, so that it only has the necessary arrows.
"""
import json
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- modules: made by scripts/modules.py -->", "<!-- end of modules -->"


def picture(targets: list) -> str:
    ours = {t["name"]: t for t in targets if t["path"].startswith("Sources/") and t["type"] != "test"}
    needs = {name: sorted(d for d in t.get("target_dependencies", []) if d in ours) for name, t in ours.items()}

    def reached(name: str) -> set:
        return set(needs[name]).union(*(reached(other) for other in needs[name]))

    lines = ["```mermaid", "graph TD"]
    for name in sorted(needs):
        direct = [d for d in needs[name] if not any(d in reached(other) for other in needs[name])]
        lines += [f"    {name} --> {d}" for d in direct] or [f"    {name}"]
    return "\n".join(lines + ["```"])


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    page = root / "docs/architecture.md"
    described = subprocess.run(["swift", "package", "--package-path", root, "describe", "--type", "json"],
                               capture_output=True, text=True)
    if described.returncode != 0:
        print(f"modules: the package cannot be described:\n{described.stderr}", file=sys.stderr)
        return 1
    made = f"{BEGIN}\n{picture(json.loads(described.stdout)['targets'])}\n{END}"
    text = page.read_text(encoding="utf-8")
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        print(f"modules: {page} has no place for the picture: {BEGIN} and {END}", file=sys.stderr)
        return 1
    if text[start:end + len(END)] == made:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"modules: the picture in {page} is out of date; make it anew: scripts/modules.py", file=sys.stderr)
        return 1
    page.write_text(text[:start] + made + text[end + len(END):], encoding="utf-8")
    return 0


sys.exit(main())
