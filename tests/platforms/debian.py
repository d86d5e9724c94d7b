"""Debian packages of any suite and architecture, unpacked into a folder without root rights.

apt gets lists, a status file and a cache of its own inside `build/platforms/`. The mirror and its key are those of the
machine's own sources.
"""

from __future__ import annotations

import fcntl
import getpass
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "BUILD",
    "PlatformError",
    "UnavailableError",
    "fetch_root",
    "finished",
    "locked",
    "native_architecture",
    "run",
    "say",
]

BUILD = Path(__file__).resolve().parents[2] / "build" / "platforms"
SOURCES = Path("/etc/apt")
SUITES = ("bookworm", "trixie", "forky", "sid", "stable", "oldstable", "testing", "unstable")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MIRROR_VARIABLE = "SSRJSON_DEBIAN_MIRROR"
MERGED = ("bin", "sbin", "lib", "lib64")
"""Links to the folders of the same name in `usr/`."""
COMMAND_SECONDS = 1800
FORMAT = 1
"""To raise when roots are unpacked in another way."""


class PlatformError(Exception):
    """A platform cannot be fetched or run here; the message says why, with the last lines of the program's output."""


class UnavailableError(PlatformError):
    """What a platform needs cannot be fetched here."""


@dataclass(frozen=True, kw_only=True)
class Mirror:
    """The address of a Debian archive, and the file of its public key."""

    uri: str
    key: str | None

    def line(self, suite: str, architecture: str) -> str:
        """A line for a sources.list, which fetches the index of packages and nothing else."""
        options = [f"arch={architecture}", "lang=none", "target=Packages"]
        if self.key:
            options.append(f"signed-by={self.key}")
        return f"deb [{' '.join(options)}] {self.uri} {suite} main\n"


def say(line: str) -> None:
    """A line of progress, on standard error."""
    print(line, file=sys.stderr, flush=True)


def run(
    command: Sequence[str | Path],
    *,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
    blame: str | None = None,
    error: type[PlatformError] = PlatformError,
) -> str:
    """What the program wrote to standard output.

    Raises `error` if it is not installed, fails or takes half an hour. `blame` is what to say then.
    """
    words = [str(word) for word in command]
    blame = blame or f"{' '.join(words[:4])} ... failed"
    try:
        done = subprocess.run(
            words,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_SECONDS,
        )
    except FileNotFoundError as missing:
        raise error(f"{words[0]} is not installed") from missing
    except subprocess.TimeoutExpired as late:
        raise error(f"{blame}: not done after {COMMAND_SECONDS} s") from late
    if done.returncode != 0:
        said = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-6:])
        raise error(f"{blame}:\n  {said or f'exit status {done.returncode}'}")
    return done.stdout


def native_architecture() -> str:
    """Debian's name of this machine's architecture: `amd64` or `arm64`. Raises UnavailableError for others."""
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in ARCHITECTURES:
        raise UnavailableError(
            f"Debian's packages are fetched on Linux, x86-64 or aarch64; this is {sys.platform}, {machine}"
        )
    return ARCHITECTURES[machine]


@contextmanager
def locked() -> Iterator[None]:
    """Makes other processes that want the same wait, so that none sees half a folder."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def finished(folder: Path, key: str, make: Callable[[Path], None]) -> Path:
    """The folder, made by `make` unless an earlier run made it for the same key.

    `make` gets a new empty folder, which is renamed at the end. The caller holds `locked()`.
    """
    stamp = folder / ".stamp"
    if stamp.exists() and stamp.read_text("utf-8") == key:
        return folder
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        make(new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    (new / ".stamp").write_text(key, "utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    return folder


def fetch_root(
    name: str,
    *,
    suite: str,
    architecture: str,
    packages: Sequence[str],
    with_dependencies: bool = True,
    adapt: Callable[[Path], None] = lambda folder: None,
    version: int = 0,
) -> Path:
    """`build/platforms/<name>`: the unpacked packages and, by default, all that they depend on.

    No package's scripts are run. `adapt` changes the new folder before it gets its name; raise `version` when what it
    does changes. A second call fetches nothing. The caller holds `locked()`. Raises PlatformError.
    """
    key = f"{FORMAT} {version} {suite} {architecture} {with_dependencies} {' '.join(packages)}\n"

    def make(folder: Path) -> None:
        apt = Apt.prepared(suite, architecture)
        archives = apt.downloaded(packages, with_dependencies=with_dependencies)
        n_bytes = sum(archive.stat().st_size for archive in archives)
        say(f"  {name}: unpacking {len(archives)} packages, {n_bytes / 1e6:.0f} MB")
        for part in MERGED:
            (folder / "usr" / part).mkdir(parents=True)
            (folder / part).symlink_to(f"usr/{part}")
        for archive in archives:
            _unpack(archive, folder)
        _keep_links_inside(folder)
        apt.forget_archives()
        adapt(folder)

    return finished(BUILD / name, key, make)


def _unpack(archive: Path, folder: Path) -> None:
    """Unpacks one package. Its folders `bin` and `lib` do not replace the links to `usr/`, as `dpkg-deb -x` has it."""
    tar = ["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", str(folder)]
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE) as files:
        done = subprocess.run(tar, stdin=files.stdout, capture_output=True, text=True, errors="replace")
    if done.returncode != 0 or files.returncode != 0:
        raise PlatformError(f"{archive.name} cannot be unpacked:\n  {done.stderr.strip()[-500:]}")


def _keep_links_inside(folder: Path) -> None:
    """Makes absolute links to files of the folder relative. They would lead to this machine's files."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            link = Path(place, name)
            if not link.is_symlink():
                continue
            target = link.readlink()
            inside = folder / str(target)[1:]
            if target.is_absolute() and os.path.lexists(inside):
                link.unlink()
                link.symlink_to(os.path.relpath(inside, place))


@dataclass(frozen=True, kw_only=True)
class Apt:
    """apt with one suite and one architecture, and nothing of this machine's state."""

    folder: Path
    configuration: Path

    @classmethod
    def prepared(cls, suite: str, architecture: str) -> Apt:
        """With fresh lists of packages. Raises UnavailableError."""
        for program in ("apt-get", "dpkg-deb", "tar"):
            if shutil.which(program) is None:
                raise UnavailableError(f"{program} is not installed: Debian's packages cannot be fetched here")
        folder = BUILD / "apt" / f"{suite}-{architecture}"
        for part in ("lists/partial", "archives/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "sources.list").write_text(mirror().line(suite, architecture), "utf-8")
        configuration = folder / "apt.conf"
        configuration.write_text(_configuration(folder, architecture), "utf-8")
        apt = cls(folder=folder, configuration=configuration)
        say(f"  packages of {suite}, {architecture}: fetching the index")
        apt._get("update", "--error-on=any")
        return apt

    def downloaded(self, packages: Sequence[str], *, with_dependencies: bool) -> list[Path]:
        """The packages' archives. Raises UnavailableError."""
        self.forget_archives()
        archives = self.folder / "archives"
        if with_dependencies:
            self._get("install", "--download-only", "--no-install-recommends", "--yes", *packages)
        else:
            self._get("download", *packages, folder=archives)
        return sorted(archives.glob("*.deb"))

    def forget_archives(self) -> None:
        """Deletes what was downloaded: it is unpacked."""
        for archive in (self.folder / "archives").glob("*.deb"):
            archive.unlink()

    def _get(self, command: str, *words: str, folder: Path | None = None) -> None:
        try:
            run(
                ["apt-get", "-q", "-c", self.configuration, command, *words],
                folder=folder,
                environment={**os.environ, "LC_ALL": "C"},
            )
        except PlatformError as error:
            reasons = re.findall(r"^\s*E: (.*)", str(error), re.MULTILINE) or [str(error)]
            raise UnavailableError(f"packages of {self.folder.name}: {reasons[0]}") from error


def _configuration(folder: Path, architecture: str) -> str:
    """The text of an apt.conf. apt reads it after the machine's own, of which a proxy's address remains."""
    return f"""\
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "{folder}";
Dir::State::lists "{folder}/lists";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}";
Dir::Cache::archives "{folder}/archives";
Dir::Log "{folder}";
APT::Architecture "{architecture}";
#clear APT::Architectures;
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "{getpass.getuser()}";
#clear APT::Update;
#clear DPkg;
Acquire::Retries "2";
Acquire::http::Timeout "60";
Acquire::https::Timeout "60";
"""


def mirror() -> Mirror:
    """The Debian archive of this machine's sources, or of SSRJSON_DEBIAN_MIRROR. Raises UnavailableError."""
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    known_key = key if Path(key).exists() else None
    if named := os.environ.get(MIRROR_VARIABLE):
        return Mirror(uri=named, key=known_key)
    for found in (*_one_line_sources(), *_stanza_sources()):
        return Mirror(uri=found.uri, key=found.key or known_key)
    raise UnavailableError(
        f"no source of Debian packages in {SOURCES}: this machine is not Debian; {MIRROR_VARIABLE} may name a mirror"
    )


def _one_line_sources() -> Iterator[Mirror]:
    """Debian archives of sources.list files: `deb [signed-by=KEY] URI SUITE main`."""
    for file in (SOURCES / "sources.list", *sorted((SOURCES / "sources.list.d").glob("*.list"))):
        lines = file.read_text("utf-8", "replace").splitlines() if file.exists() else []
        for line in lines:
            found = re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.*)", line.strip())
            if found and found[3] in SUITES and "main" in found[4].split():
                key = re.search(r"signed-by=(\S+)", found[1] or "")
                yield Mirror(uri=found[2], key=key[1] if key else None)


def _stanza_sources() -> Iterator[Mirror]:
    """Debian archives of deb822 files: stanzas of `Types`, `URIs`, `Suites`, `Components`, `Signed-By`."""
    for file in sorted((SOURCES / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", file.read_text("utf-8", "replace")):
            pairs = re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", stanza, re.MULTILINE)
            fields = {name.lower(): value.split() for name, value in pairs}
            is_debian = set(fields.get("suites", ())) & set(SUITES) and "main" in fields.get("components", ())
            if (
                is_debian
                and "deb" in fields.get("types", ())
                and fields.get("enabled") != ["no"]
                and fields.get("uris")
            ):
                keys = [key for key in fields.get("signed-by", ()) if key.startswith("/")]
                yield Mirror(uri=fields["uris"][0], key=keys[0] if keys else None)
