"""`doctor --migrate`: where a source tree uses other JSON libraries, and what replaces each use."""

from ssrjson_web._cli.doctor.migration.report import run_migration

__all__ = ["run_migration"]
