"""House rules that the formatter does not check.

A path of a rule is a pattern. Each row of LINES forbids a pattern in a line; lines that begin with the mark of a
comment may contain it.
"""
import io
import re
import tokenize

from project import TEXT_OR_COMMENT

OWN = "scripts/checks/house_rules.py"
LONG = "scripts/checks/long-files.txt"
# The planted faults have scripts of their own.
GATES = "scripts/tests/test-gates.sh"
CODE, COMPILED, SOURCES = r"\.(swift|c|h|cpp|hpp|sh|py)$", r"\.(swift|c|h|cpp|hpp)$", r"^Sources/.*\.swift$"
SHELL = r"\.sh$|^(Makefile|\.ci/run)$"
# Texts of a line in the shell, the mark of a comment behind them, and a comment of one word, as of an address.
SHELL_TEXT, SHELL_COMMENT = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\""), re.compile(r"(?:^|[ \t])#[ \t]")
ONE_WORD = re.compile(r'[ \t]*(?:///?|/?\*+|#|""")?[ \t]*(?:- )?\S+(?:[ \t]*\*/)?')
IMPORT = r"(?:@[^ \n]+ )*(?:(?:public|package|internal|private|fileprivate) )?import "
BY_NUMBER = "a signal to a process by its number, which may be another one"
# Files, the mark of a comment, the pattern, and the fault.
LINES = [
    (CODE, None, r"\b(TODO|FIXME|HACK)\b(?!\(#\d+\))", "open end without the number of an issue, as in (#12)"),
    # Bad input gets a typed error.
    (SOURCES, "//", r"\btry!|\bas!|\bfatalError\b", "stops the program"),
    (SOURCES, None, r"^[ \t]*public (struct|enum|final class) \w+:(?!.*\bExplainedError\b).*(?<!\w)Error\b",
     "a public error without words: make it an ExplainedError"),
    # An error without a remedy leaves the user alone; the type CommandFailure has a default for an error that needs no
    # words.
    (r"^Sources/.*\.swift$", "//", r"(?<!String = )\bremedy: \"\"", "an error without a remedy"),
    # JSON comes from outside: integer(in:) and number(in:) name the limits.
    (r"^Sources/(?!(JSON|Database)/).*\.swift$", "//", r"\.(integer|number)\(let\b|\blet \.(integer|number)\(",
     "a number from outside without limits; use integer(in:) or number(in:)"),
    # Integers in bytes come from outside, too: init(bytes:in:), ByteSource and ByteOrder.swift check for missing bytes.
    # The modules and files named here have samples, checksums, codes of colours and events, and pages of SQLite.
    (r"^Sources/(?!(AudioDevices|CInterface|Database|Drawing|Engine|JSON)/"
     r"|.*/(AudioDecoder|ByteOrder|CheckSum|OggChecksum|PeakFile\+Binary|StoredSamples)\.swift$).*\.swift$", "//",
     r"\bload(Unaligned)?\([^)\n]*\bas: U?Int(?!8)|\((little|big)Endian:|<<=? *(\w*\()?(\w+ \* )?[78]\b",
     "an integer put together from bytes; use init(bytes:in:), or little(at:) and big(at:)"),
    # Listing a folder, resolving a name, starting a program, text for an error number.
    (r"^Sources/(?!(Files|Explanations)/).*\.swift$", "//",
     r"(?<!\w)(opendir|readdir|scandir|realpath|strerror(_r)?|posix_spawnp?|linkat|localtime(_r)?)[ \t]*\(",
     "a second version of what Files or Explanations has"),
    ("", None, r"(?<![\w.])/(home|Users|root|work|opt/swift)/", "path of somebody's own machine"),
    # Such a limit also counts the time for which other tests hold the threads; step.sh ends tests without progress.
    (r"^Tests/.*\.swift$", "//", r"\.timeLimit\(", "a limit for the time of a test, which ends on a busy machine"),
    # An event that never comes would hold the whole run until the step ends it, and the failure would name no test.
    (r"^Tests/.*\.swift$", "//", r"^(?!.*\b(?:withPatience|Task|for await)\b).*\n[ \t]*for await\b",
     "a wait for events without an end of its own; use withPatience"),
    # SIGALRM, the end of a process that hangs (Tests/CExitTests), is a failure, too.
    (r"^Tests/.*\.swift$", "//", r"\bprocessExitsWith: \.failure\b",
     "also the end of a process that hangs; name the signal or the exit code"),
    # -1 is every process, and the system reuses the number of a process that has ended. Swift and C use a descriptor
    # (pidfd), Python its own Popen or a descriptor, the shell a job (%1): Bash checks whether the job still runs, and
    # belongs to this shell.
    (COMPILED, "//", r"\b(kill|killpg|sigqueue|tgkill)[ \t]*\(|\bSYS_(kill|tkill|tgkill|rt_sigqueueinfo)\b", BY_NUMBER),
    (r"\.py$", "#", r"\bos\.(kill|killpg)\b", BY_NUMBER),
    (SHELL, "#", r"(?<![\w.$/-])((pkill|killall5?|skill)\b|kill[ \t]+(?![ \t]|(\"?-\S+ )?\"?(%|\$\$)))", BY_NUMBER),
    # `grep -q` ends at the first match: with pipefail, the signal that ends the writer then makes the pipe fail, now
    # and then.
    (SHELL, "#", r"(?<!\|)\|[ \t]*grep -\w*q", "a pipe to grep -q; read to the end with grep ... >/dev/null"),
    # The formatter moves such a comment with a new import.
    (r"\.swift$", None, rf"\A(?:{IMPORT}.*\n)+(?=(?://[^/\n].*\n)+{IMPORT})",
     "a comment of the file between its imports; move it to the first line"),
]


def found(project, files, pattern, comment=None):
    """The matches of a pattern in the files outside lines of comments: each place, line and match."""
    pattern = re.compile(pattern, re.MULTILINE)
    for path in project.matching(files):
        text = project.text(path) if path not in (OWN, "LICENSE") else ""
        for match in pattern.finditer(text):
            line = text[text.rfind("\n", 0, match.end()) + 1:].partition("\n")[0].strip()
            if not (comment and line.startswith(comment)):
                yield project.place(path, match.end()), line, match


def lines(project):
    for files, comment, pattern, fault in LINES:
        for place, line in {place: line for place, line, _ in found(project, files, pattern, comment)}.items():
            yield f"{place}: {fault}: {line}"


def long_files(project):
    """Outside Sources, where the check stored-properties limits the state of a type: a type and its private state
    are one file."""
    reasons = project.text(LONG) if LONG in project.files else ""
    for path in project.matching(rf"^(?!Sources/).*{CODE}"):
        count = project.text(path).count("\n")
        if count > 400 and not re.search(rf"^{re.escape(path)}  +[^ ]", reasons, re.MULTILINE):
            yield f"{path}:401: has {count} lines; split it, or give the reason in {LONG}"


def comment_lines(path, text):
    """The numbers of the lines in which a comment or a docstring begins, goes on or ends."""
    if path.endswith(".py"):
        before = tokenize.NEWLINE
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            is_docstring = token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            if is_docstring or token.type == tokenize.COMMENT:
                yield from range(token.start[0], token.end[0] + 1)
            if token.type not in (tokenize.COMMENT, tokenize.NL):
                before = token.type
    elif re.search(SHELL, path):
        # In the Makefile, "##" begins the help of a target. Comments in here-documents count.
        for number, line in enumerate(text.split("\n"), 1):
            if SHELL_COMMENT.search(SHELL_TEXT.sub("", line)):
                yield number
    else:
        for match in TEXT_OR_COMMENT.finditer(text):
            if match[0][0] == "/":
                first = text.count("\n", 0, match.start()) + 1
                yield from range(first, first + match[0].count("\n") + 1)


def long_comments(project):
    """The formatter limits code, not comments. A line in which a comment or docstring stands counts with its code."""
    for path in project.matching(rf"{CODE}|\.rs$|{SHELL}"):
        text = project.text(path)
        long = {number: line for number, line in enumerate(text.split("\n"), 1) if len(line) > 120 and not ONE_WORD.fullmatch(line)}
        for number in sorted(long.keys() & set(comment_lines(path, text))) if long else []:
            yield f"{path}:{number}: a comment past 120 columns; wrap the comment, or move it above its code"


def errors_without_status(project):
    """The compiler makes Failure require kinds with a status, so the types of kinds need no check here."""
    def conforming(protocol):
        declaration = rf"\b(?:struct|enum|class|actor|extension) (?:\w+\.)*(\w+)(?:<[^>\n]*>)?:.*\b{protocol}\b"
        return {match[1]: place for place, _, match in found(project, SOURCES, declaration, "//")}

    explained = conforming("ExplainedError")
    for name in sorted(explained.keys() - conforming("CategorisedError").keys()):
        yield f"{explained[name]}: {name} has no exit status, so a command that ends with it would report a bug; make it a CategorisedError"


def purposes(project):
    files = [path.split("/", 2) for path in project.matching("^Sources/.*/")]
    for module in sorted({module for _, module, _ in files}):
        if not any(project.text(path).startswith("// ") for path in project.matching(rf"^Sources/{re.escape(module)}/.*\.swift$")):
            yield f"Sources/{module}: no file begins with the purpose of the module"


def threads(project):
    page = "docs/architecture.md"
    rows = project.text(page) if page in project.files else ""
    names = r'\b(?:(?:Plain|Realtime|Repeating|Event|Job)Thread(?:<\w+>)?\([ \t]*|runAside\()name: "([^"\n]+)'
    for place, _, match in found(project, SOURCES, names):
        if f"(`{match[1]}`)" not in rows:
            yield f"{place}: the thread {match[1]} has no row in {page}"


def links(project):
    """With the link, the compiler reports numbers read from a text without limits. The numbers of the command are
    the user's."""
    name = "TextNumbers.swift"
    original = f"Sources/JSON/{name}"
    imports = found(project, r"^Sources/(?!(JSON|WoodshedCLI)/).*\.swift$", r"^((public|package|internal) )?import JSON$")
    for folder in sorted({"/".join(place.split("/")[:2]) for place, *_ in imports}):
        if f"{folder}/{name}" not in project.files or project.text(f"{folder}/{name}") != project.text(original):
            yield f"{folder}: can read numbers without limits; run: ln -s ../JSON/{name} {folder}"


def missing_scripts(project):
    """A call of a script that was moved fails only in the step with the call. The changelog may name former scripts."""
    for place, _, match in found(project, rf"^(?!CHANGELOG\.md$|{re.escape(GATES)}$)", r"(?<![\w$-])scripts/[\w./-]+\.(?:sh|py|txt)\b"):
        if match[0] not in project.files:
            yield f"{place}: there is no {match[0]}"


def faults(project):
    for rule in (long_files, long_comments, lines, errors_without_status, purposes, threads, links, missing_scripts):
        yield from rule(project)
