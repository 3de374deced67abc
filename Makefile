# The two front doors: `make demo` and `make test`. Both install what is missing (Debian 12, root), then build.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD := build

.PHONY: demo test build bench format lint fuzz install clean setup
.DEFAULT_GOAL := build

setup:
	@.ci/setup

build: setup
	@cmake --preset release >$(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@rm -f $(BUILD)-configure.log
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: build
	@apps/demo.sh $(BUILD)/arete

test: build
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

bench: setup
	@cmake --preset release -DARETE_BUILD_BENCH=ON >/dev/null
	@cmake --build $(BUILD) --parallel $(JOBS)
	@for program in $(BUILD)/bench/bench_*; do echo "== $$program"; "$$program"; done

format:
	@git ls-files '*.cpp' '*.h' | grep -v '^kernel/' | xargs clang-format -i

lint: build
	@git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P $(JOBS) -n 1 clang-tidy -p $(BUILD) --quiet

fuzz: setup
	@cmake --preset clang -DARETE_BUILD_FUZZ=ON >/dev/null
	@cmake --build $(BUILD)/clang --parallel $(JOBS)
	@tests/fuzz/run.sh $(BUILD)/clang $(FUZZ_SECONDS)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD) out
