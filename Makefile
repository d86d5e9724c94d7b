# What a contributor runs. Every target works from a fresh clone and makes what it needs; `make help` lists them.
#
#   PYTHON=python3.13   the interpreter for a new environment (3.10 or newer)
#   VENV=.venv          the environment; a second one beside it lets two Pythons or two builds live together
#   ARGS='...'          passed on to the demo, to pytest, to the checks or to the benchmarks
#   CC=clang-19         the Clang to build with, instead of one that is looked for
#   BUILD_TYPE=Debug    assertions on, optimisation off
#   DEFINES='A=1 B=2'   further variables for CMakeLists.txt

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
BUILD_TYPE ?= Release
DEFINES ?=
# The oldest frameworks that the adapters take; pyproject.toml names the oldest pydantic.
OLDEST := fastapi==0.115.4 starlette==0.40.0 pydantic==$(shell sed -nE 's/^models = \["pydantic>=([0-9.]+)"\].*/\1/p' pyproject.toml) \
    django==4.2.30 djangorestframework==3.15.0 django-ninja==1.0 \
    litestar==2.13.0 falcon==4.0.0 aiohttp==3.10.0 sanic==24.6.0 flask==3.0.0 quart==0.19.0 marshmallow==3.20.0
PYTHONS ?= 3.10 3.11 3.12 3.13 3.14 3.15
TESTS ?= test-full

# A file's tests stay together: they share what is expensive to make.
PARALLEL := -n auto --dist loadfile
# The lowest and the highest level of this CPU, for a Python beside the one that runs the tests at all levels.
OUTER_LEVELS = SSRJSON_TEST_LEVELS="$${SSRJSON_TEST_LEVELS:-$$($(BIN)/python -c 'import ssrjson_web; \
    levels = ssrjson_web.get_current_features()["levels"]; print(*dict.fromkeys((levels[0], levels[-1])))')}"
# What each adapter does with objects of Python, beside the whole core.
SELECTION := $(addprefix tests/,core \
    json/test_dumps.py json/test_loads.py \
    starlette/test_request.py starlette/test_response.py starlette/test_stream.py \
    fastapi/test_endpoint.py fastapi/test_response_model.py models/test_acceptance.py models/test_records.py \
    django/test_encoder.py django/test_response.py django/test_stream.py \
    rest_framework/test_loading.py rest_framework/test_reading.py ninja/test_api.py \
    flask/test_provider.py quart/test_application.py marshmallow/test_dump.py marshmallow/test_load.py \
    channels other_frameworks ecosystem/test_logs.py monitor/test_asgi.py monitor/test_wsgi.py \
    test_clients.py test_doctor.py test_memory.py test_symbols.py)
FULL_PROFILE := SSRJSON_TEST_PROFILE=$(or $(SSRJSON_TEST_PROFILE),full)

# The environment of a build of its own, unless VENV is given: for another Python beside it.
own_venv = $(if $(filter file,$(origin VENV)),.venv-$1,$(VENV))

BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMPS := $(VENV)/stamps
BUILD_DIR := build/$(patsubst .%,%,$(notdir $(VENV)))
BACKEND := build_backend/ssrjson_build.py
PIP := $(BIN)/python -m pip --disable-pip-version-check
CORE_SOURCES := $(sort $(shell find core -name '*.[ch]'))
FUZZ_SOURCES := $(sort $(shell find tests/fuzz tests/allocations tests/collecting tests/simd -name '*.[ch]'))

# Each worker of pytest would compile every test again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:
FORCE:

.PHONY: help
help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

# Environment and build

.PHONY: build
build: $(STAMPS)/core ## build the C core into .venv, as an editable install

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { \
	    echo "ssrjson_web needs Python 3.10 or newer, and '$(PYTHON)' is not that: name one with PYTHON=python3.12" >&2; \
	    exit 1; }
	@$(PYTHON) $(BACKEND) check
	@echo "== $(VENV): a new environment, $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 \
	    || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
	         && $(PYTHON) -m pip --python $(BIN)/python install -q pip; } >/dev/null 2>&1 \
	    || { rm -rf $(VENV); echo "'$(PYTHON) -m venv' does not work: apt install" \
	         "$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')" >&2; exit 1; }
	@mkdir -p $(STAMPS) && touch $@

# An interpreter that is named now, and is not the one that the environment was made with, would be ignored silently.
ifneq ($(origin PYTHON),file)
$(STAMPS)/tools: | same-python
.PHONY: same-python
same-python: $(STAMPS)/venv
	@ask='import sys; print(sys.base_prefix, *sys.version_info[:3])'; \
	    test "$$($(PYTHON) -c "$$ask")" = "$$($(BIN)/python -c "$$ask")" || { \
	    echo "$(VENV) was made with another Python than $(PYTHON): add VENV=.venv-other, or rm -r $(VENV)" >&2; exit 1; }
endif

# Rewritten only when a setting changes, so that what depends on it is rebuilt then.
$(STAMPS)/settings: FORCE | $(STAMPS)/venv
	@echo "$(BUILD_TYPE) $(DEFINES) CC=$$CC SSRJSON_CC=$$SSRJSON_CC" >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Rewritten only when a module is added, moved or removed: an editable install knows them by their paths.
$(STAMPS)/modules: FORCE | $(STAMPS)/venv
	@find ssrjson_web -name '*.py*' -not -path '*/__pycache__/*' | LC_ALL=C sort >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(STAMPS)/tools: pyproject.toml $(BACKEND) $(STAMPS)/settings | $(STAMPS)/venv
	@echo "== $(VENV): build tools"
	@$(PIP) install -q "$$(sed -n 's/^requires = \["\(.*\)"\]$$/\1/p' pyproject.toml)"
	@$(BIN)/python $(BACKEND) requires >$@.txt
	@test ! -s $@.txt || $(PIP) install -q -r $@.txt
	@touch $@

$(STAMPS)/core: $(CORE_SOURCES) core/generate_tables.py tests/simd/operations.c CMakeLists.txt pyproject.toml $(BACKEND) $(STAMPS)/settings $(STAMPS)/modules $(STAMPS)/tools
	@echo "== ssrjson_web: building the C core in $(BUILD_DIR): seconds, or a minute the first time with ziglang"
	@$(PIP) install -q --no-build-isolation --no-deps --config-settings=build-dir=$(BUILD_DIR) \
	    --config-settings=cmake.build-type=$(BUILD_TYPE) --config-settings=install.strip=false \
	    --config-settings=cmake.define.SSRJSON_WERROR=ON --config-settings=cmake.define.SSRJSON_SIMD_TESTS=ON \
	    $(foreach define,$(DEFINES),--config-settings=cmake.define.$(define)) -e .
	@test $(VENV) != .venv || ln -sf $(BUILD_DIR)/compile_commands.json compile_commands.json
	@touch $@

# pip finds ssrjson_web installed already, and adds what the extra names: older ones where the newest have no wheels for
# a free-threaded Python.
$(STAMPS)/extra-%: pyproject.toml | $(STAMPS)/core
	@echo "== $(VENV): packages for $*"
	@$(PIP) install -q --prefer-binary 'ssrjson_web[$*]'
	@touch $@

# Libraries that have wheels for some Pythons and systems only: tests and benchmarks do without those that are missing.
$(STAMPS)/rivals: pyproject.toml | $(STAMPS)/core
	@echo "== $(VENV): newer JSON libraries"
	@sed -n '/^rivals = \[/,/^]/s/^ *"\([^"]*\)".*/\1/p' pyproject.toml >$@.txt
	@while read -r each; do $(PIP) install -q --only-binary :all: "$$each" >/dev/null 2>&1 </dev/null \
	    || echo "no wheel here: $$each"; done <$@.txt
	@touch $@

# Use

# The interpreter on PATH, if it has ssrjson_web with its core and what the extra `demo` names: nothing is compiled then.
DEMO_IS_INSTALLED = import fastapi, matplotlib, msgspec, orjson, ssrjson_web, uvicorn; \
    assert tuple(map(int, fastapi.__version__.split(".")[:2])) >= (0, 130); \
    print("== ssrjson_web of", ssrjson_web.__path__[0])

.PHONY: demo
demo: ## the memory demonstration, on real servers; with the ssrjson_web of the active environment, if it has the extra demo
	@if test ! -e $(STAMPS)/core && $(PYTHON) -I -c '$(DEMO_IS_INSTALLED)' 2>/dev/null; \
	    then $(PYTHON) -m bench demo $(ARGS); \
	    else $(MAKE) --no-print-directory demo-of-tree; fi

.PHONY: demo-of-tree
demo-of-tree: $(STAMPS)/core $(STAMPS)/extra-demo
	@$(BIN)/python -m bench demo $(ARGS)

.PHONY: test
test: $(STAMPS)/core $(STAMPS)/extra-test $(STAMPS)/rivals ## the tests before a commit, on all CPUs, in minutes; with ARGS what they say, on one
	@$(BIN)/python -m pytest $(or $(ARGS),$(PARALLEL) -m 'not full')

.PHONY: test-full
test-full: $(STAMPS)/core $(STAMPS)/extra-test $(STAMPS)/rivals ## all tests: those of reports, of checks and of tools, too, and more random examples
	@$(FULL_PROFILE) $(BIN)/python -m pytest $(or $(ARGS),$(PARALLEL))

.PHONY: test-rest
test-rest: $(STAMPS)/core $(STAMPS)/extra-test $(STAMPS)/rivals ## what test-full runs beyond test
	@$(FULL_PROFILE) $(BIN)/python -m pytest $(or $(ARGS),$(PARALLEL) -m 'full or hypothesis')

.PHONY: test-core
test-core: $(STAMPS)/core $(STAMPS)/extra-test-core ## the core's tests alone, which need no framework
	@$(BIN)/python -m pytest $(or $(ARGS),$(PARALLEL) tests/core tests/test_memory.py tests/test_symbols.py)

# On Python 3.10, where it is installed and no other is named.
.PHONY: test-oldest
test-oldest: ## the adapters' tests with the oldest frameworks that they take, and the oldest Python if there is one
	@oldest=$(if $(filter file,$(origin PYTHON)),$$(PYTHONPATH=tests $(PYTHON) -m platforms python --installed 3.10)); \
	    test -n "$$oldest$(filter-out file,$(origin PYTHON))" || echo "Python 3.10: not installed, the oldest frameworks are tested on $(PYTHON)"; \
	    $(MAKE) --no-print-directory tests-with-oldest VENV=.venv-oldest $${oldest:+"PYTHON=$$oldest"}

# The multipart that Litestar wants hides the one that old Starlettes read forms with.
.PHONY: tests-with-oldest
tests-with-oldest: $(STAMPS)/oldest
ifneq ($(ARGS),)
	@$(BIN)/python -m pytest $(ARGS)
else
	@$(PIP) uninstall -q -y multipart
	@$(OUTER_LEVELS) $(BIN)/python -m pytest $(PARALLEL) -m 'not full' \
	    $(addprefix tests/,core adapters json starlette fastapi models django rest_framework ninja flask quart marshmallow)
	@$(PIP) install -q multipart
	@$(BIN)/python -m pytest $(PARALLEL) tests/other_frameworks tests/test_clients.py
endif

# Installed after the extra, whose demo asks for newer ones.
$(STAMPS)/oldest: Makefile $(STAMPS)/extra-test
	@$(PIP) install -q --no-warn-conflicts $(OLDEST)
	@touch $@

.PHONY: test-pythons
test-pythons: $(STAMPS)/tools ## all tests on each of PYTHONS='3.10 3.15 3.13t', which are found or fetched
	@failed=; \
	    for version in $(PYTHONS); do \
	        case $$version in *t) tests=test-without-gil ;; *) tests=$(TESTS) ;; esac; \
	        python=$$(PYTHONPATH=tests $(BIN)/python -m platforms python $(SEARCH) $$(echo $$version | tr , ' ')) \
	            || { failed="$$failed $$version"; continue; }; \
	        test -n "$$python" || continue; \
	        echo "== Python $$version: $$python"; \
	        $(MAKE) --no-print-directory $$tests PYTHON=$$python VENV=.venv-$${python##*/python} \
	            || failed="$$failed $$version"; \
	    done; \
	    test -z "$$failed" || { echo "test-pythons: not passed on$$failed" >&2; exit 1; }

NEWEST := fastapi starlette pydantic django djangorestframework django-ninja marshmallow flask

# A release of unknown texts fails, with the patch that makes them known; what differs, or fails in a test, is not in it.
.PHONY: test-newest
test-newest: ## the frameworks' newest releases by stock and by the core, and the adapters' tests with them
	@$(MAKE) --no-print-directory tests-with-newest VENV=.venv-newest

.PHONY: tests-with-newest
tests-with-newest: $(STAMPS)/core $(STAMPS)/extra-test
	@$(PIP) install -q --upgrade --no-warn-conflicts $(NEWEST)
	@mkdir -p build; failed=; \
	    $(BIN)/python -m ssrjson_web verify --patch >build/newest.patch || failed=1; \
	    test ! -s build/newest.patch || { failed=1; cat build/newest.patch; }; \
	    $(BIN)/python -m pytest $(or $(ARGS),$(PARALLEL) $(addprefix tests/,known adapters starlette fastapi models \
	        django rest_framework ninja flask marshmallow)) || failed=1; \
	    test -z "$$failed"

# Those that have neither all tests, as $(PYTHON), nor those of test-oldest: 3.13, and the newest that can be had. Between them
# CPython changed when it collects garbage, and the layouts that the core reads.
OTHER_PYTHONS = $(filter-out $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null),3.13 3.15,3.14)

.PHONY: test-other-pythons
test-other-pythons: ## the core's tests and a selection of each adapter's on 3.13 and the newest, or on OTHER_PYTHONS='3.14', where they can be had
	@$(MAKE) --no-print-directory test-pythons PYTHONS='$(OTHER_PYTHONS)' TESTS=test-selection SEARCH=--if-possible

.PHONY: test-selection
test-selection: $(STAMPS)/core $(STAMPS)/extra-test
	@$(OUTER_LEVELS) $(BIN)/python -m pytest $(or $(ARGS),$(PARALLEL) $(SELECTION))

# Some libraries have no wheels without the GIL, such as orjson and msgspec: their tests are skipped.
.PHONY: test-without-gil
test-without-gil: $(STAMPS)/thread-packages ## the tests of the core and of FastAPI, REST framework and marshmallow, where PYTHON has no GIL
	@$(PIP) install -q httpx pytest-xdist
	@$(BIN)/python -m pytest -n auto tests/core tests/json tests/models tests/fastapi tests/rest_framework tests/marshmallow $(ARGS)

# What they fetch stays in build/platforms.
.PHONY: test-neon
test-neon: $(STAMPS)/tools ## the core's tests on an emulated AArch64: a selection, or ARGS=--all; needs the network once
	@PATH="$(abspath $(BIN)):$$PATH" PYTHONPATH=tests $(BIN)/python -m platforms neon $(ARGS)

.PHONY: test-cpus
test-cpus: $(STAMPS)/core ## the levels that eight older x86-64 CPUs choose, emulated; needs the network once
	@PYTHONPATH=tests $(BIN)/python -m platforms cpus $(ARGS)

.PHONY: check-floats
check-floats: $(STAMPS)/core ## 10^8 doubles held against Python's repr, at every level
	@$(BIN)/python tests/check_floats.py $(ARGS)

.PHONY: check-canonical
check-canonical: $(STAMPS)/core ## 10^6 floats and 10^4 documents of canonical JSON held against node's, if it is installed
	@$(BIN)/python tests/check_canonical.py $(ARGS)

.PHONY: check-singles
check-singles: $(STAMPS)/core $(STAMPS)/extra-test ## every float of 32 and of 16 bits, with its shortest digits
	@$(BIN)/python tests/check_singles.py $(ARGS)

.PHONY: check-models
check-models: $(STAMPS)/core $(STAMPS)/extra-test ## random models held against the installed pydantic: ARGS='--minutes 30'
	@PYTHONPATH=tests $(BIN)/python -m check_models $(ARGS)

.PHONY: check-serializers
check-serializers: $(STAMPS)/core $(STAMPS)/extra-test ## random serializers held against REST framework alone: ARGS='--minutes 30'
	@PYTHONPATH=tests $(BIN)/python -m check_serializers $(ARGS)

.PHONY: check-marshmallow
check-marshmallow: $(STAMPS)/core $(STAMPS)/extra-test ## random schemas held against the installed marshmallow: ARGS='--minutes 30'
	@PYTHONPATH=tests $(BIN)/python -m check_marshmallow $(ARGS)

.PHONY: check-mutations
check-mutations: $(STAMPS)/core $(STAMPS)/extra-test ## each function of the frameworks changed, as by a later release: do ours follow? ARGS='flask --sample 5'
	@PYTHONPATH=tests $(BIN)/python -m mutations $(ARGS)

.PHONY: known-texts
known-texts: $(STAMPS)/core ## gets the releases of the libraries that we serve into a folder, and writes which texts we know: ARGS=build/releases
	@PYTHONPATH=tests $(BIN)/python -m make_known_texts $(ARGS)

.PHONY: check-growth
check-growth: $(STAMPS)/core $(STAMPS)/extra-test ## instructions for inputs of n, 2n and 4n, for each way to decode (valgrind): ARGS="'*, fed *'"
	@PYTHONPATH=tests:. $(BIN)/python -m growth $(ARGS)

.PHONY: check-orjson
check-orjson: $(STAMPS)/core $(STAMPS)/extra-test ## a million random trees for each flag of ssrjson_web.orjson, held against orjson
	@PYTHONPATH=tests $(BIN)/python -m check_orjson $(ARGS)

# torch is left out by default, because its usual wheels bring gigabytes for GPUs.
ARRAY_PACKAGES := arro3-core jax nanoarrow pandas polars pyarrow

.PHONY: check-arrays
check-arrays: ## arrays of pyarrow, polars, pandas and JAX held against their lists, and torch's with TORCH_INDEX=URL; needs the network
	@$(MAKE) --no-print-directory checked-arrays VENV=.venv-arrays

.PHONY: checked-arrays
checked-arrays: $(STAMPS)/array-packages
	@$(BIN)/python -m pytest tests/core/encode/types/test_array_libraries.py $(ARGS)

$(STAMPS)/array-packages: Makefile | $(STAMPS)/core $(STAMPS)/extra-test-core
	@$(PIP) install -q $(ARRAY_PACKAGES)
	@$(if $(TORCH_INDEX),$(PIP) install -q --index-url $(TORCH_INDEX) torch,echo "torch is left out: TORCH_INDEX=... is the index of its wheels for the CPU")
	@touch $@

.PHONY: compat
compat: $(STAMPS)/core ## the own tests of frameworks and JSON libraries with ours in place; needs the network
	@PYTHONPATH=tests $(BIN)/python -m compat $(ARGS)

.PHONY: soak
soak: $(STAMPS)/core $(STAMPS)/extra-test ## each adapter's real server under slow, aborting and malformed clients; ten minutes
	@PYTHONPATH=tests $(BIN)/python -m soak $(ARGS)

.PHONY: bench
bench: $(STAMPS)/core $(STAMPS)/extra-bench $(STAMPS)/rivals ## benchmarks against every rival
	@$(BIN)/python -m bench encode $(ARGS)
	@$(BIN)/python -m bench decode $(ARGS)

.PHONY: bench-web
bench-web: $(STAMPS)/core $(STAMPS)/extra-bench ## whole requests to FastAPI, stock and with ours
	@$(BIN)/python -m bench web $(ARGS)

.PHONY: bench-guard
bench-guard: $(STAMPS)/core $(STAMPS)/extra-demo ## instructions of calls and of requests beside the committed ones; needs valgrind
	@$(BIN)/python -m bench guard $(ARGS)

.PHONY: load
load: $(STAMPS)/core $(STAMPS)/extra-load ## locust on real servers: APP=fastapi ENGINE=orjson,ssrjson_web SERVER= WORKERS= USERS= SECONDS= SCRIPT= TRAFFIC=
	@$(BIN)/python -m bench load $(or $(APP),fastapi) $(or $(ENGINE),ssrjson_web) \
	    $(if $(SERVER),--server $(SERVER)) $(if $(WORKERS),--workers $(WORKERS)) $(if $(USERS),--users $(USERS)) \
	    $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SCRIPT),--script $(SCRIPT)) \
	    $(if $(TRAFFIC),--traffic $(TRAFFIC)) $(ARGS)

.PHONY: report
report: $(STAMPS)/core $(STAMPS)/extra-report $(STAMPS)/rivals ## all benchmarks, and one page of them in report-out/
	@$(BIN)/python -m bench report $(ARGS)

.PHONY: lint
lint: $(STAMPS)/core $(STAMPS)/extra-lint ## ruff, mypy --strict and clang-format; changes nothing
	@failed=; \
	    $(BIN)/ruff check . || failed=1; \
	    $(BIN)/ruff format --check . || failed=1; \
	    $(BIN)/mypy || failed=1; \
	    $(BIN)/clang-format --dry-run -Werror --ferror-limit=20 $(CORE_SOURCES) $(FUZZ_SOURCES) || failed=1; \
	    test -z "$$failed"

.PHONY: types
types: $(STAMPS)/core $(STAMPS)/extra-types ## whether type checkers know the type of every public name
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/basedpyright --verifytypes ssrjson_web --ignoreexternal

.PHONY: format
format: $(STAMPS)/core $(STAMPS)/extra-lint ## put Python and C into the house style
	@$(BIN)/ruff check --fix --show-fixes .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CORE_SOURCES) $(FUZZ_SOURCES)

SANITIZER_OPTIONS := \
    ASAN_OPTIONS=$(or $(ASAN_OPTIONS),detect_leaks=1):allocator_may_return_null=1:quarantine_size_mb=64 \
    LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
    UBSAN_OPTIONS=print_stacktrace=1

# These import numpy, which keeps objects of its import for ever: they run alone, with ASAN_OPTIONS=detect_leaks=0.
SANITIZER_LEAVES_OUT := --ignore-glob='*_numpy.py' --ignore=tests/core/encode/test_path.py \
    --ignore=tests/core/module/test_error_class.py

SANITIZED := tests/core $(wildcard tests/models/test_acceptance*.py tests/models/test_records.py tests/models/test_zoned_texts.py) tests/models/test_typed.py $(SANITIZER_LEAVES_OUT)

.PHONY: sanitize
sanitize: ## the core's tests under AddressSanitizer and UndefinedBehaviorSanitizer: PYTHON=python3.13 VENV=.venv-sanitize-3.13
	@$(MAKE) --no-print-directory sanitized-test VENV=$(call own_venv,sanitize) BUILD_TYPE=Debug \
	    DEFINES=SSRJSON_SANITIZE=address,undefined

# Frames are several times as large with sanitizers, and since 3.12 Python counts calls of C without regard to that.
.PHONY: sanitized-test
sanitized-test: $(STAMPS)/asan-runtime $(STAMPS)/core $(STAMPS)/extra-test
	@ulimit -S -s 65536 || exit; \
	    LD_PRELOAD="$$(cat $(STAMPS)/asan-runtime)" PYTHONMALLOC=malloc $(SANITIZER_OPTIONS) \
	    $(BIN)/python -m pytest --capture=sys $(or $(ARGS),$(SANITIZED))

.PHONY: test-allocations
test-allocations: ## fail each allocation of 340 calls in turn, at every level: ARGS='--match loads'
	@$(MAKE) --no-print-directory tested-allocations VENV=.venv-allocations BUILD_TYPE=Debug \
	    DEFINES=SSRJSON_FAILING_ALLOCATOR=ON

.PHONY: tested-allocations
tested-allocations: $(STAMPS)/core $(STAMPS)/fuzz-packages
	@PYTHONPATH=tests $(BIN)/python -m allocations --library $(BUILD_DIR)/failing_allocator.so $(ARGS)

# On another Python: make test-collections PYTHON=python3.13 VENV=.venv-collections-3.13
.PHONY: test-collections
test-collections: ## clear the document at each call that may run Python code, under AddressSanitizer: ARGS='--match Decimal'
	@$(MAKE) --no-print-directory tested-collections BUILD_TYPE=Debug \
	    VENV=$(call own_venv,collections) \
	    DEFINES='SSRJSON_SANITIZE=address,undefined SSRJSON_COLLECTING=ON'

.PHONY: tested-collections
tested-collections: $(STAMPS)/asan-runtime $(STAMPS)/core $(STAMPS)/fuzz-packages
	@LD_PRELOAD="$$(cat $(STAMPS)/asan-runtime)" PYTHONMALLOC=malloc PYTHONPATH=tests ASAN_OPTIONS=detect_leaks=0 \
	    $(BIN)/python -m collecting $(ARGS)

# The core's own tests, with a collection at each of these calls.
.PHONY: test-collecting
test-collecting: ## the core's tests with a collection at each call that may run Python code, under AddressSanitizer
	@$(MAKE) --no-print-directory sanitized-test BUILD_TYPE=Debug \
	    VENV=$(call own_venv,collections) \
	    DEFINES='SSRJSON_SANITIZE=address,undefined SSRJSON_COLLECTING=ON' SSRJSON_TEST_COLLECTIONS=1 ASAN_OPTIONS=detect_leaks=0

# An interpreter that was built with ThreadSanitizer has its runtime: it gets a core that is built with it, too.
.PHONY: test-threads
test-threads: ## threads that call everything at once: ARGS='--minutes 10'; with ThreadSanitizer where PYTHON has it
	@if $(PYTHON) -c 'import sys, sysconfig; sys.exit("thread-sanitizer" not in sysconfig.get_config_var("CONFIG_ARGS"))'; then \
	    $(MAKE) --no-print-directory tested-threads VENV=.venv-tsan DEFINES=SSRJSON_SANITIZE=thread; \
	else $(MAKE) --no-print-directory tested-threads VENV=.venv-threads; fi

# The newest pydantic and hypothesis have no wheels for Python 3.13t: pip takes older ones then.
THREAD_PACKAGES := attrs djangorestframework fastapi marshmallow numpy pydantic \
    --only-binary=pydantic-core,granian,hypothesis,numpy \
    granian hypercorn hypothesis pytest pytest-asyncio python-multipart uvicorn

.PHONY: tested-threads
tested-threads: $(STAMPS)/thread-packages
	@TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp:exitcode=66 PYTHONPATH=tests \
	    $(BIN)/python -m threads $(ARGS)
	@$(BIN)/python -m pytest tests/test_servers_without_gil.py

$(STAMPS)/thread-packages: Makefile | $(STAMPS)/core
	@$(PIP) install -q $(THREAD_PACKAGES)
	@touch $@

# What object graphs are made of beside the standard library's types.
FUZZ_PACKAGES := attrs msgspec numpy pydantic

.PHONY: fuzz
fuzz: ## coverage-guided fuzzing of the core, under sanitizers, at every level: ARGS='--minutes 30'
	@fuzzer=$$($(PYTHON) $(BACKEND) fuzzer-runtime) || exit 1; \
	    $(MAKE) --no-print-directory fuzzing VENV=.venv-fuzz BUILD_TYPE=Debug \
	        DEFINES="SSRJSON_SANITIZE=address,undefined,fuzzer-no-link SSRJSON_FUZZER=$$fuzzer"

.PHONY: fuzzing
$(STAMPS)/core: $(if $(findstring SSRJSON_F,$(DEFINES))$(findstring SSRJSON_COLLECTING,$(DEFINES)),$(FUZZ_SOURCES) core/pyobject/c_api.txt)
fuzzing: $(STAMPS)/asan-runtime $(STAMPS)/core $(STAMPS)/fuzz-packages
	@PYTHONPATH=tests $(BIN)/python -m fuzz --preload "$$(cat $(STAMPS)/asan-runtime)" --build $(BUILD_DIR) $(ARGS)

$(STAMPS)/fuzz-packages: Makefile | $(STAMPS)/core
	@$(PIP) install -q $(FUZZ_PACKAGES)
	@touch $@

$(STAMPS)/asan-runtime: $(BACKEND) $(STAMPS)/settings | $(STAMPS)/venv
	@$(BIN)/python $(BACKEND) asan-runtime >$@

# Release

RELEASE := build/release/tools
RUN_RELEASE := PYTHONPATH=tests $(RELEASE)/bin/python -m release

.PHONY: wheels
wheels: $(RELEASE)/complete ## Linux wheels for every Python from this one machine, checked, into dist/: ARGS='cp313 musl'
	@$(RUN_RELEASE) wheels $(ARGS)

.PHONY: wheels-again
wheels-again: $(RELEASE)/complete ## the wheels of dist/ once more, elsewhere, compared byte by byte: ARGS='cp313'
	@$(RUN_RELEASE) again $(ARGS)

.PHONY: cross-check
cross-check: $(RELEASE)/complete ## compile and link the core for macOS, Windows, riscv64 and loongarch64
	@$(RUN_RELEASE) cross-check $(ARGS)

.PHONY: release-check
release-check: $(RELEASE)/complete ## whether the newest commit can be released; asks the package index
	@$(RUN_RELEASE) check --index $(ARGS)

.PHONY: sbom
sbom: $(RELEASE)/complete ## build/release/sbom.cdx.json: what dist/ holds and what it was built with
	@$(RUN_RELEASE) sbom

$(RELEASE)/complete: release/requirements.txt
	@$(PYTHON) $(BACKEND) check-python
	@echo "== $(RELEASE): packages for a release"
	@$(PYTHON) -m venv --clear $(RELEASE)
	@$(RELEASE)/bin/python -m pip --disable-pip-version-check install -q -r release/requirements.txt
	@touch $@

# What cibuildwheel builds with, on macOS and Windows: its settings are in pyproject.toml.
CIBUILDWHEEL := cibuildwheel==4.3.5

.PHONY: wheels-native
wheels-native: ## wheels for this macOS or Windows by cibuildwheel, into dist/
	@$(PYTHON) -m pip --disable-pip-version-check install -q $(CIBUILDWHEEL)
	@$(PYTHON) -m cibuildwheel --output-dir dist $(ARGS)

.PHONY: docs
docs: $(STAMPS)/core $(STAMPS)/extra-docs ## the documentation as a site in build/site; links are checked
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --clean $(ARGS)
	@echo "== build/site/index.html"

.PHONY: clean
clean: ## remove environments, builds and caches; reports stay
	rm -rf .venv .venv-* build dist compile_commands.json .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
