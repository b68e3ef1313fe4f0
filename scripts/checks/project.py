"""The files of the project, or of another folder: listed once and read once for all checks."""
import pathlib
import re
import subprocess

# Texts come first, because a text may contain the signs of a comment.
TEXT_OR_COMMENT = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/')


class Fault(Exception):
    """A fault that ends its check, because the check lacks what it compares."""


class Project:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        if (self.root / ".git").exists():
            done = self.run_git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
            if done.returncode != 0:
                raise Fault(f"{self.root}: git cannot list the files: {done.stderr.strip()}")
            listed = done.stdout.split("\0")
        else:
            listed = [path.relative_to(self.root).as_posix() for path in self.root.rglob("*")]
        self.files = sorted(path for path in set(listed) if path and (self.root / path).is_file())
        self.texts, self.codes = {}, {}

    def matching(self, pattern):
        """The files whose path the pattern finds, in alphabetical order."""
        return [path for path in self.files if re.search(pattern, path)]

    def text(self, path):
        """The text of a file; empty for a file that is no text."""
        if path not in self.texts:
            try:
                data = (self.root / path).read_bytes()
            except OSError as error:
                raise Fault(f"{path}: {error.strerror}") from error
            self.texts[path] = "" if b"\0" in data else data.decode("utf-8", errors="replace")
        return self.texts[path]

    def code(self, path):
        """The text of a source in Swift without comments and the contents of string literals; each line keeps its
        number."""
        if path not in self.codes:
            self.codes[path] = TEXT_OR_COMMENT.sub(
                lambda found: ('""' if found[0][0] == '"' else "") + "\n" * found[0].count("\n"), self.text(path))
        return self.codes[path]

    def place(self, path, index):
        """The file and line of an index in the file's text."""
        return f"{path}:{self.text(path).count(chr(10), 0, index) + 1}"

    def run_git(self, *arguments):
        return subprocess.run(["git", "-C", self.root, *arguments], capture_output=True, text=True, check=False)

    def git(self, *arguments):
        """The output of git; empty after a failure, as without a tag."""
        done = self.run_git(*arguments)
        return done.stdout if done.returncode == 0 else ""

    def last_release(self):
        """The last tag of the form v1.2.3 before this commit; empty without such a tag."""
        return self.git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").strip() if (self.root / ".git").exists() else ""
