# The front door. CMake and Ninja do the building; `make help` lists what there is.
BUILD ?= build
CC ?= cc
# make presets CC to "cc", which is what we want: the system's compiler.
CMAKE_FLAGS ?=
TESTS := -DUPSWEEP_TESTS=ON

.PHONY: all help run check check-long lint bench install clean
all: ## build the library and the program: build/upsweep
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_C_COMPILER=$(CC) $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }; rm -f $(BUILD).log
	@cmake --build $(BUILD)

help: ## list every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

check: ## build and pass all tests (under 10 minutes on 2 cores)
	@$(MAKE) all CMAKE_FLAGS="$(CMAKE_FLAGS) $(TESTS)"
	@ctest --test-dir $(BUILD) --output-on-failure

clean: ## remove what was built
	rm -rf build build-*
