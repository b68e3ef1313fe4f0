#!/usr/bin/env python3
"""The programs of the reference's articles and of its tutorial, as a package that depends on Woodshed like an
embedder's package.

  scripts/docs/articles.py FOLDER ROOT    writes the package; prints the name of each program

The ```swift blocks of an article, one after another, are one program; the program of the article Loops is ArticleLoops,
because modules of Woodshed have names like Recording. A block that begins with the version of the tools is the manifest
of an article: the package has this manifest, with a target for each program, and with the product that the program
imports. Each step of the tutorial is a program too. The script writes changed files only, so their builds stay valid.
"""
import pathlib
import re
import sys


def blocks(article: str) -> list:
    """The ```swift blocks of an article."""
    return re.findall(r"^```swift\n(.*?)^```$", article, flags=re.M | re.S)


def target_name(step: str) -> str:
    """The program of a tutorial's file: practice-1-output is Practice1Output."""
    return "".join(word.capitalize() for word in step.split("-"))


def programs(catalogue: pathlib.Path) -> tuple:
    """The program texts by their names, and the manifest of an article."""
    found, manifests = {}, []
    for article in sorted(catalogue.glob("*.md")):
        parts = blocks(article.read_text(encoding="utf-8"))
        manifests += [part for part in parts if part.startswith("// swift-tools-version")]
        text = "\n".join(part for part in parts if part not in manifests)
        if text:
            found["Article" + article.stem] = text
    for step in sorted(catalogue.glob("Resources/*.swift")):
        found[target_name(step.stem)] = step.read_text(encoding="utf-8")
    if len(manifests) != 1:
        sys.exit(f"articles: {len(manifests)} articles show a manifest; one should")
    return found, manifests[0]


def product(program: str) -> str:
    """The product that a program imports."""
    imported = re.search(r"^import (Woodshed\w+)$", program, flags=re.M)
    return imported[1] if imported else "Woodshed"


def unused_steps(catalogue: pathlib.Path) -> list:
    """Files of steps missing in every tutorial."""
    shown = "".join(file.read_text(encoding="utf-8") for file in catalogue.rglob("*.tutorial"))
    return [step.name for step in catalogue.glob("Resources/*.swift") if f"file: {step.name})" not in shown]


def main() -> int:
    folder, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    catalogue = root / "Sources/Woodshed/Woodshed.docc"
    unused = unused_steps(catalogue)
    if unused:
        sys.exit(f"articles: no tutorial shows {', '.join(unused)}")
    texts, manifest = programs(catalogue)
    lines = []
    for line in manifest.replace('"../woodshed"', f'"{root}"').splitlines():
        match = re.search(r'\.executableTarget\(name: "(\w+)"', line)
        lines += [line.replace(match[1], name).replace('"Woodshed"', f'"{product(text)}"') + ","
                  for name, text in texts.items()] if match else [line]
    files = {folder / "Package.swift": "\n".join(lines) + "\n"}
    files |= {folder / "Sources" / name / "main.swift": text for name, text in texts.items()}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    print(*texts, sep="\n")
    return 0


sys.exit(main())
