"""The Django project of the check: importing it configures Django, with a database in memory."""

from __future__ import annotations

import django
from django.conf import settings

REST_FRAMEWORK = {"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None}

if not settings.configured:
    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "check_serializers"],
        MIDDLEWARE=[],
        REST_FRAMEWORK=REST_FRAMEWORK,
        ROOT_URLCONF="check_serializers.tables",
        SECRET_KEY="of the check",
        TIME_ZONE="Europe/Berlin",
        USE_I18N=True,
        USE_TZ=True,
    )
    django.setup()
