# The front door. CMake and Ninja do the building; `make help` lists what there is.
# SPDX-License-Identifier: MIT
BUILD ?= build
CMAKE_FLAGS ?=
PREFIX ?= /usr/local
# Where the benches write their tables; TABLES=docs/numbers/tables for those that are kept.
TABLES ?= $(BUILD)/tables
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
# Make presets CC to cc: the system's compiler unless you say CC=clang.
configure = cmake -S . -B $(1) -G Ninja -DCMAKE_C_COMPILER=$(CC) -DCMAKE_INSTALL_PREFIX=$(PREFIX) \
	$(CMAKE_FLAGS) $(2) --log-level=WARNING -Wno-dev >/dev/null

# Says every 15 seconds what is being done, and shows what was printed only if that fails, or as it comes.
quietly = sh cmake/progress.sh -q
steadily = sh cmake/progress.sh

define check_room
@$(call configure,$(BUILD),-DUPSWEEP_TESTS=ON -DUPSWEEP_WERROR=ON)
@sh test/room.sh $(BUILD) $(JOBS) $(@:check-%=%)
endef

.PHONY: all release help run wheel test proofs check check-long check-gpu lint bench bench-gpu same-code gallery site reference \
	dist deb install uninstall clean

all: ## build the library and the program: build/upsweep
	@$(call configure,$(BUILD),-DUPSWEEP_CUDA_QUICK=OFF)
	@$(quietly) building cmake --build $(BUILD) -j $(JOBS)
	@echo "built $(BUILD)/upsweep and libupsweep"
	@if [ -s $(BUILD)/gpu.txt ]; then echo "the GPU plugin was not built: $$(cat $(BUILD)/gpu.txt)"; \
	else echo "built the GPU plugin, $$(($$(wc -c <$(BUILD)/libupsweep_cuda.so) / 1024)) KB: $(BUILD)/libupsweep_cuda.so"; fi

release: ## the same, with GPU code for all targets that packages have (twice the time)
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="$(CMAKE_FLAGS) -DUPSWEEP_CUDA_ARCHS=release"

help: ## list every target
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo "  variables:   CC=clang BUILD=dir PREFIX=/usr/local JOBS=n CMAKE_FLAGS=-D..."

run: all ## sort real data sets and show what was done
	@sh demo/run.sh $(BUILD)/upsweep $(BUILD)/data

# Two tests more than processors, since some wait for others of their processes, for threads, or for the network.
test: ## build and run the tests, without the linters
	@$(call configure,$(BUILD),-DUPSWEEP_TESTS=ON -DUPSWEEP_WERROR=ON -DUPSWEEP_CUDA_QUICK=ON)
	@$(steadily) building cmake --build $(BUILD) -j $(JOBS)
	@$(steadily) testing ctest --test-dir $(BUILD) --output-on-failure -j $$(($(JOBS) + 2))

proofs: ## prove key maps, sorting networks and offsets from the sources (under 3 minutes on 2 cores)
	@$(call configure,$(BUILD),-DUPSWEEP_TESTS=ON -DUPSWEEP_WERROR=ON)
	@cmake --build $(BUILD) -j $(JOBS) --target proofs
	@UPSWEEP_TEST_LONG=1 ctest --test-dir $(BUILD) -L proof --output-on-failure -j $(JOBS)

# With nvcc the wheel takes the GPU plugin with it; WHEEL_FLAGS= leaves it out.
wheel: WHEEL_FLAGS ?= $(if $(shell command -v nvcc),--cuda)
wheel: ## the Python package: a wheel for CPython 3.9 and later and an archive of sources, in build/dist
	@$(steadily) "building the wheel" sh python/wheel.sh $(BUILD) $(WHEEL_FLAGS)

check-gpu: ## the tests of the GPU forms on this machine's GPU (skipped where there is none)
	@$(call configure,$(BUILD),-DUPSWEEP_TESTS=ON -DUPSWEEP_CUDA_QUICK=OFF)
	@cmake --build $(BUILD) -j $(JOBS) --target all
	@sh test/gpu/check_gpu.sh $(BUILD)

lint: ## clang-format, clang-tidy, cppcheck, layering and style
	@$(call configure,$(BUILD),-DUPSWEEP_TESTS=ON -DUPSWEEP_WERROR=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
	@$(steadily) linting sh test/lint.sh $(BUILD) $(JOBS)

check: lint test ## everything a change must pass (11 to 15 minutes on 2 cores)

check-%: ## build and run the tests of one room: make check-cpu/folds, check-gpu/carry, check-app, ...
	$(check_room)
check-cpu/% check-gpu/%: # no pattern without a slash matches these
	$(check_room)

check-long: ## sanitizers, valgrind, fuzzing, failures, the ABI and coverage (80 minutes on 2 cores)
	@sh test/long.sh $(JOBS)

bench: ## measure us beside the rivals that are installed: table, bench.json and curves
	@$(call configure,$(BUILD),)
	@cmake --build $(BUILD) -j $(JOBS) --target bench
	@python3 bench/bench.py $(BUILD) --json $(BUILD)/bench.json $(BENCH_FLAGS)
	@python3 bench/bench.py $(BUILD) --calls --json $(BUILD)/calls.json $(BENCH_FLAGS)
	@python3 bench/paths.py $(BUILD) --json $(BUILD)/paths.json $(PATHS_FLAGS)
	@python3 bench/tables.py $(TABLES) $(BUILD)/bench.json $(BUILD)/calls.json $(BUILD)/paths.json
	@python3 bench/plot.py $(BUILD)/bench.json $(BUILD)/bench || echo "no plot: python3-matplotlib is not installed"

bench-gpu: ## measure us beside CUB, torch and cupy on this machine's GPU: table, JSON and curves
	@$(call configure,$(BUILD),)
	@cmake --build $(BUILD) -j $(JOBS) --target bench_gpu bench_folds_gpu
	@python3 bench/gpu_bench.py $(BUILD) --json $(BUILD)/bench_gpu.json $(BENCH_FLAGS)
	@python3 bench/tables.py $(TABLES) $(BUILD)/bench_gpu.json
	@python3 bench/gpu_plot.py $(BUILD)/bench_gpu.json $(BUILD)/bench_gpu || echo "no plot: python3-matplotlib is not installed"

same-code: all ## hashes of all machine code, in build/code.txt; REV=commit: what differs from that
	@python3 proofs/same_code.py list $(BUILD) >$(BUILD)/code.txt
	@echo "machine code: $$(tail -n 1 $(BUILD)/code.txt): $(BUILD)/code.txt"
ifdef REV
	@rm -rf $(BUILD)/before && mkdir -p $(BUILD)/before && git archive $(REV) | tar -x -C $(BUILD)/before
	@$(MAKE) --no-print-directory -C $(BUILD)/before BUILD=build all
	@python3 proofs/same_code.py compare $(BUILD)/before/build $(BUILD)
endif

gallery: all ## draw docs/gallery: a picture and an animation of every algorithm (needs ffmpeg)
	@sh docs/gallery.sh $(abspath $(BUILD))/upsweep

site: all ## the course, and a page that plays for every algorithm: build/site/index.html
	@python3 site/course.py $(abspath $(BUILD))/upsweep . $(BUILD)/site/course
	@sh site/make.sh $(abspath $(BUILD))/upsweep $(BUILD)/site

reference: ## the reference in HTML from the headers: build/reference/html (needs doxygen)
	@sh docs/reference/reference.sh $(abspath $(BUILD))/reference

dist: ## the release archive of the last commit: build/dist
	@sh packaging/dist.sh $(abspath $(BUILD))/dist

deb: ## Debian packages: build-deb/*.deb
	@$(call configure,$(BUILD)-deb,-DCMAKE_INSTALL_PREFIX=/usr)
	@$(quietly) building cmake --build $(BUILD)-deb -j $(JOBS)
	@cd $(BUILD)-deb && cpack -G DEB | sed -n 's/.*package: \(.*\) generated./\1/p'

install: all ## install under PREFIX (and DESTDIR)
	@cmake --install $(BUILD) --strip | grep -v -- '-- Up-to-date' || true
	@sh cmake/after_install.sh $(BUILD)

uninstall: ## remove what install laid down
	@sh cmake/uninstall.sh $(BUILD)/install_manifest.txt

clean: ## remove everything that was built
	rm -rf build build-*
