# The two front doors: `make demo` and `make test`. Both install what is missing (Debian 12, root), then build.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD := build
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
export NINJA_STATUS := [%f/%t] %e s: 

# What the sanitizers run: everything without a graphics driver, and where threads meet.
ASAN_TESTS := unit_core unit_raster unit_tiles unit_bake unit_cut unit_mesh unit_check unit_collider unit_stream unit_adaptive \
  unit_export unit_view unit_serve property_bounds_test property_cut_test property_boxes_test property_mesher_test \
  property_collider_test property_stream_test property_wanted_pages_test
TSAN_TESTS := unit_tiles unit_bake unit_collider unit_stream unit_serve property_stream_test

.PHONY: demo test build all bench format lint fuzz sanitize install clean setup configure
.DEFAULT_GOAL := build

setup:
	@.ci/setup

configure: setup
	@mkdir -p $(BUILD)
	@cmake --preset release >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }

build: configure
	@echo "building the arete command with $(JOBS) jobs"
	@.ci/build $(BUILD) $(JOBS) arete
	@echo "built $(BUILD)/arete"

all: configure
	@echo "building everything with $(JOBS) jobs"
	@.ci/build $(BUILD) $(JOBS)

demo: build
	@apps/demo.sh $(BUILD)/arete

test: all
	@ctest --test-dir $(BUILD) --output-on-failure --progress --parallel $(JOBS)

bench: setup
	@cmake --preset release -DARETE_BUILD_BENCH=ON >/dev/null
	@.ci/build $(BUILD) $(JOBS)
	@$(BUILD)/arete bench
	@for program in $(BUILD)/bench/bench_*; do echo "== $$program"; "$$program"; done

# Our own C++; the kernel's text is laid out for GLSL as well.
FORMATTED = git ls-files '*.cpp' '*.h' | grep -v '^kernel/'

format:
	@$(FORMATTED) | xargs clang-format -i

lint: all
	@echo "linting with $(JOBS) jobs"
	@$(FORMATTED) | xargs clang-format --dry-run --Werror
	@cmake --preset release -DARETE_BUILD_BENCH=ON >/dev/null
	@git ls-files '*.cpp' ':!tests/link' | xargs -P $(JOBS) -n 1 clang-tidy -p $(BUILD) --quiet 2>$(BUILD)/lint.log || \
	  { grep -v 'warnings\? generated' $(BUILD)/lint.log; exit 1; }

fuzz: setup
	@cmake --preset clang >/dev/null
	@.ci/build $(BUILD)/clang $(JOBS) fuzzers
	@tests/fuzz/run.sh $(BUILD)/clang $(FUZZ_SECONDS)

sanitize: setup
	@$(call sanitized,asan,$(ASAN_TESTS))
	@$(call sanitized,tsan,$(TSAN_TESTS))

# sanitized(preset, tests): builds and runs these tests under the preset's sanitizer.
space := $(subst ,, )
define sanitized
echo "$(1): building with $(JOBS) jobs"; \
cmake --preset $(1) >/dev/null && \
.ci/build $(BUILD)/$(1) $(JOBS) $(2) && \
ctest --test-dir $(BUILD)/$(1) --output-on-failure --progress --parallel $(JOBS) -R '^($(subst $(space),|,$(strip $(2))))$$'
endef

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX) >/dev/null
	@echo "installed to $(PREFIX)"

clean:
	@rm -rf $(BUILD) out
