"""A PDF of the page, printed by Chromium if it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
_SECONDS = 120


class NoPdfError(Exception):
    """No PDF was made; the message gives the reason and a remedy."""


def print_pdf(page: Path, pdf: Path) -> None:
    """Prints the page. Raises NoPdfError."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise NoPdfError("Chromium or Chrome must be on PATH (apt install chromium); or print the page from a browser")
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # root needs it
    pdf.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser,
            "--headless",
            *as_root,
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={profile}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={pdf.resolve()}",
            page.resolve().as_uri(),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoPdfError(f"{browser}: {error}") from error
    if not pdf.is_file():
        lines = done.stderr.strip().splitlines() or ["it wrote nothing"]
        raise NoPdfError(f"{browser}, exit status {done.returncode}: {lines[-1]}")
