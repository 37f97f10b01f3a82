# A thin face over CMake. `make help` lists the targets.
# Only `make deps` installs anything, and `make demo`, `make check` and `make test`, which call it.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
WERROR ?= OFF
SAN_BUILD = $(BUILD)-asan
CLANG_BUILD = $(BUILD)-clang
FUZZ_BUILD = $(BUILD)-fuzz
COVERAGE_BUILD = $(BUILD)-coverage
TSAN_BUILD = $(BUILD)-tsan
FUZZ_SECONDS ?= 5

CMAKE = cmake -S . -DCMAKE_INSTALL_PREFIX=$(PREFIX)
COMPILE = cmake --build $(BUILD) -j $(JOBS)

.PHONY: all deps demo test check tests san clang fuzz fuzz-long fuzzers fault bench golden docs ptx install uninstall deb clean help layers lint analyze coverage tsan system configure

all: configure ## the warpline command and the libraries of `warpline exec`
	@$(COMPILE) --target product -- --no-print-directory

configure:
	@command -v cmake >/dev/null || { echo "cmake is needed to build warpline; on Debian: make deps" >&2; exit 1; }
	@mkdir -p $(BUILD)
	@$(CMAKE) -B $(BUILD) -DWL_WERROR=$(WERROR) $(if $(LTO),-DWL_LTO=$(LTO)) > $(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }

deps: ## install the Debian packages that are missing: for building, tests and figures
	@sh scripts/deps.sh

demo: ## the five schemes against their baselines: tables and a page
	@sh scripts/deps.sh build || true
	@$(MAKE) --no-print-directory configure
	@sh scripts/build.sh $(BUILD) $(JOBS) warpline-cli
	@sh scripts/demo.sh $(BUILD)/warpline

tests: configure ## build everything, the tests too
	@pkg-config --exists cmocka || { echo "the tests need cmocka (Debian: libcmocka-dev); make deps installs it" >&2; exit 1; }
	@$(COMPILE) -- --no-print-directory

check: deps ## lint and the tests of the plain build: before each commit
	@$(MAKE) --no-print-directory tests lint
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

test: check ## the same, then sanitizers, clang and fuzzing: what CI runs
	@$(MAKE) --no-print-directory san clang fuzz

san: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(CMAKE) -B $(SAN_BUILD) -DCMAKE_BUILD_TYPE=Debug -DWL_SANITIZE=ON -DWL_WERROR=ON > /dev/null
	@cmake --build $(SAN_BUILD) -j $(JOBS) -- --no-print-directory
	@cd $(SAN_BUILD) && ctest --output-on-failure -j $(JOBS)

clang: ## clang warns of nothing in any file; the fuzz targets are built with it
	@CC=clang $(CMAKE) -B $(CLANG_BUILD) -DCMAKE_BUILD_TYPE=None -DWL_WERROR=ON > /dev/null
	@sh scripts/clang_check.sh $(CLANG_BUILD) $(JOBS)

fuzz: fuzzers ## all inputs kept in tests/fuzz, then FUZZ_SECONDS of new ones per target: a minute in all
	@sh scripts/fuzz.sh $(FUZZ_BUILD) $(FUZZ_SECONDS) $(JOBS)

HOURS ?= 8
FUZZ_KIND = -DCMAKE_BUILD_TYPE=Debug -DWL_SANITIZE=ON
ifdef FAST
FUZZ_BUILD = $(BUILD)-fuzz-fast
FUZZ_KIND = -DCMAKE_BUILD_TYPE=Release -DWL_SANITIZE=OFF
endif
fuzz-long: fuzzers ## the same for HOURS in all (FAST=1: without sanitizers); `sh scripts/fuzz.sh build-fuzz keep` saves what was found
	@sh scripts/fuzz.sh $(FUZZ_BUILD) $$(($(HOURS) * 3600 * $(JOBS) / $$(ls tests/fuzz/fuzz_*.c | wc -l))) $(JOBS)

fuzzers:
	@CC=clang $(CMAKE) -B $(FUZZ_BUILD) $(FUZZ_KIND) -DWL_FUZZ=ON > /dev/null
	@cmake --build $(FUZZ_BUILD) -j $(JOBS) --target fuzzers -- --no-print-directory

STRIDE ?= 1
fault: tests ## the Nth allocation, open, read, write, fsync, rename, fork, mmap fails, N = 1, 2, 3, ...; STRIDE=, CASE=
	@python3 tests/fault/drive.py --warpline $(BUILD)/warpline --lib $(BUILD)/libwlfault.so --jobs $(JOBS) \
	    --stride $(STRIDE) --case '$(CASE)'

lint: tests ## style, layers, names, documents: everything a tool can judge
	@sh scripts/lint.sh $(BUILD) $(JOBS)

analyze: ## clang's static analyzer over the product: minutes; it must find nothing
	@sh scripts/analyze.sh $(JOBS)

coverage: ## lines and branches that the tests execute, per folder: minutes
	@sh scripts/coverage.sh $(COVERAGE_BUILD) $(JOBS)

tsan: ## threads under ThreadSanitizer: the library from several threads, programs under exec, and a sweep
	@sh scripts/tsan.sh $(TSAN_BUILD) $(JOBS)

system: all ## sweeps of 200 runs with kill -9, full disks, sleep and two writers: the results of a calm day
	@python3 tests/system/rough_day.py --warpline $(BUILD)/warpline --rounds 3

layers: tests ## the dependency law between the folders, by include and by symbol
	@sh scripts/layers.sh $(BUILD)

golden: all ## rewrite the golden counters after an intended change of the model
	@for t in golden figures explain; do WARPLINE=$(abspath $(BUILD)/warpline) WL_ROOT=$(CURDIR) WL_UPDATE=1 sh tests/golden/test_$$t.sh; done

docs: all ## rewrite what is made from tables: docs/parameters.md, docs/counters.md, man/, completions/
	@sh scripts/docs.sh $(BUILD)/warpline docs
	@sh scripts/man.sh $(BUILD)/warpline man completions

# Twice as long to build and 3 % faster; the build folder keeps it.
bench install deb: LTO = ON
bench: all ## simulation speed: three programs as JSON, all workloads against the stored baseline
	@$(BUILD)/warpline bench
	@sh scripts/bench.sh $(BUILD)/warpline

ptx: ## regenerate the kernels' PTX from their .cu
	@sh scripts/make_ptx.sh

install: all ## binary, library, headers, pkg-config file, man page; PREFIX=/usr/local
	@cmake --install $(BUILD) --prefix $(PREFIX)

uninstall: ## remove what the last `make install` of this build folder installed
	@[ -e $(BUILD)/install_manifest.txt ] || { echo "nothing was installed from $(BUILD)" >&2; exit 1; }
	@sh scripts/uninstall.sh $(BUILD)/install_manifest.txt

deb: all ## a Debian package: program, libraries, headers, Python package, manual
	@command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null || \
	    { echo "make deb needs dpkg-shlibdeps and file (Debian: dpkg-dev file)" >&2; exit 1; }
	@cd $(BUILD) && cpack -G DEB > deb.log || { cat deb.log; exit 1; }
	@ls $(BUILD)/*.deb

clean: ## remove all build folders
	@rm -rf $(BUILD) $(SAN_BUILD) $(CLANG_BUILD) $(FUZZ_BUILD) $(COVERAGE_BUILD) $(TSAN_BUILD) $(BUILD)-fuzz-fast

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10
