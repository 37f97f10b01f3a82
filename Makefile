# A thin face over CMake. `make help` lists the targets.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SAN_BUILD = $(BUILD)-asan
CLANG_BUILD = $(BUILD)-clang
FUZZ_BUILD = $(BUILD)-fuzz
FUZZ_SECONDS ?= 10

.PHONY: all deps demo test check san clang fuzz bench golden docs ptx install clean help layers

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory

$(BUILD)/CMakeCache.txt: | deps
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

deps: ## install the Debian packages that are missing
	@sh scripts/deps.sh

demo: all ## the five schemes against their baselines: tables and a page
	@sh scripts/demo.sh $(BUILD)/warpline

test: all layers ## unit, timing, property, golden and CLI tests; sanitizers; clang; fuzzing
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)
	@$(MAKE) --no-print-directory san clang fuzz

check: all layers ## only the tests of the plain build
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

san: | deps ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@cmake -S . -B $(SAN_BUILD) -DCMAKE_BUILD_TYPE=Debug -DWL_SANITIZE=ON > /dev/null
	@cmake --build $(SAN_BUILD) -j $(JOBS) -- --no-print-directory
	@cd $(SAN_BUILD) && ctest --output-on-failure -j $(JOBS)

clang: | deps ## everything compiles with clang too, warnings as errors
	@CC=clang cmake -S . -B $(CLANG_BUILD) > /dev/null
	@cmake --build $(CLANG_BUILD) -j $(JOBS) -- --no-print-directory

fuzz: | deps ## FUZZ_SECONDS per parser, from the corpus in tests/fuzz
	@CC=clang cmake -S . -B $(FUZZ_BUILD) -DCMAKE_BUILD_TYPE=Debug -DWL_SANITIZE=ON -DWL_FUZZ=ON > /dev/null
	@cmake --build $(FUZZ_BUILD) -j $(JOBS) -- --no-print-directory
	@sh scripts/fuzz.sh $(FUZZ_BUILD) $(FUZZ_SECONDS)

layers: ## the dependency law between the folders
	@sh scripts/layers.sh

golden: all ## rewrite the golden counters after an intended change of the model
	@for t in golden figures; do WARPLINE=$(BUILD)/warpline WL_ROOT=$(CURDIR) WL_UPDATE=1 sh tests/golden/test_$$t.sh; done

docs: all ## rewrite the tables of parameters and counters in docs/
	@sh scripts/docs.sh $(BUILD)/warpline

bench: all ## simulation speed, as JSON
	@$(BUILD)/warpline bench

ptx: ## regenerate the kernels' PTX from their .cu
	@sh scripts/make_ptx.sh

install: all ## binary, library, headers, pkg-config file, man page; PREFIX=/usr/local
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --install $(BUILD)

clean:
	@rm -rf $(BUILD) $(SAN_BUILD) $(CLANG_BUILD) $(FUZZ_BUILD)

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10
