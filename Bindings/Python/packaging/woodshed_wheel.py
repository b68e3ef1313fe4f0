"""Makes the package (wheel) that `pip install ./Bindings/Python` installs: the module's two files and the files that
pip needs.

The module has two functions of PEP 517. There is no package of the sources, because the version is only in the sources
of Woodshed: Sources/Woodshed/Version.swift.
"""
import base64
import hashlib
import pathlib
import re
import zipfile

folder = pathlib.Path(__file__).resolve().parent.parent
root = folder.parent.parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = re.search(r'^public let woodshedVersion = "([0-9.]+)"$', (root / "Sources/Woodshed/Version.swift").read_text(), flags=re.M)[1]
    modules = {name: (folder / name).read_text() for name in ("woodshed.py", "_woodshed_tables.py")}
    summary = modules["woodshed.py"].splitlines()[0].strip('"')
    about = f"woodshed-{version}.dist-info"
    files = {
        **modules,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: woodshed\nVersion: {version}\nSummary: {summary}\nLicense: Apache-2.0\n"
                             "Requires-Python: >=3.9\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: woodshed_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(text.encode())}")
    files[f"{about}/RECORD"] = "\n".join(rows + [f"{about}/RECORD,,"]) + "\n"
    wheel = f"woodshed-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w") as archive:
        for name, text in files.items():
            # No time: the same sources make the same file.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is no package of the sources of this module alone; use: pip install ./Bindings/Python")
