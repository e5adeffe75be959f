# The two commands: `make demo` and `make test`. `make help` lists the rest. One build, build/release, serves both.
JOBS ?= $(shell nproc)
# More arguments for CMake, e.g. CONFIGURE=-DINSTANTGP_ARCH=x86-64-v3
CONFIGURE ?=
# The folders of tests/ whose code works with several threads, of which tests/CMakeLists.txt takes the files that are about it. The
# program, experiments and training do too; their tests start processes (MPI among them) that the thread sanitizer cannot follow. Of the service, http is what has
# threads of its own, and its tests run it in their own process.
THREADED := base data gp http inference model network search simulate
configure = cmake --preset $(1) $(CONFIGURE) > /dev/null
build = cmake --build --preset $(1) -j $(JOBS) --target $(2)

.PHONY: all release demo test asan tsan fuzz fuzz-smoke bench package tidy format check-format setup clean help

all: release

release:  ## (default) build what gets installed into build/release; the program is build/release/instantgp
	@$(call configure,release)
	@$(call build,release,instantgp_installed)
	@echo "built build/release/instantgp"

demo:  ## install what is missing, build, one-shot inference on the airline example against type-2 ML, draw demo.svg
	@tools/setup build
	@$(call configure,release)
	@$(call build,release,instantgp_cli)
	build/release/instantgp fit --example --kernel "LIN + SE*PER" --holdout 0.2 --compare refine,ml --plot demo.svg
	@echo "the picture is in $(CURDIR)/demo.svg"

test:  ## install what is missing, build, run every test
	@tools/setup
	@$(call configure,release)
	@$(call build,release,all)
	@ctest --preset release -j $(JOBS)

asan:  ## the tests of the library and the program under the address and undefined-behaviour sanitizers
	@tools/setup ci
	@$(call configure,asan)
	@$(call build,asan,instantgp_test_programs)
	@ctest --preset asan -j $(JOBS) -LE '^(tree|golden|examples)$$'

tsan:  ## the tests of what works with several threads under the thread sanitizer
	@tools/setup ci
	@$(call configure,tsan)
	@$(call build,tsan,$(THREADED:%=%_test))
	@ctest --preset tsan -j $(JOBS) -L '^($(subst $() ,|,$(THREADED)))$$'

FUZZERS := $(patsubst tests/fuzz/%_fuzz.cc,%,$(wildcard tests/fuzz/*_fuzz.cc))
TARGET ?= csv
MINUTES ?= 10
# fuzz-fast: no sanitizers, many more executions
FUZZ_PRESET ?= asan
fuzz:  ## fuzz one door (tests/fuzz): make fuzz TARGET=csv MINUTES=10
	@tools/setup ci
	@$(call configure,$(FUZZ_PRESET))
	@$(call build,$(FUZZ_PRESET),$(TARGET)_fuzz)
	@tests/fuzz/run build/$(FUZZ_PRESET) $$(($(MINUTES) * 60)) $(TARGET)

fuzz-smoke:  ## every fuzzer for 20 seconds from the same seed, in the build of `make asan`
	@tools/setup ci
	@$(call configure,asan)
	@$(call build,asan,instantgp_fuzzers)
	@FUZZ_SEED=$${FUZZ_SEED:-1} tests/fuzz/run build/asan 20 $(FUZZERS)

bench:  ## build and run the benchmarks
	@tools/setup
	@$(call configure,release)
	@$(call build,release,instantgp_benches)
	@set -e; for program in build/release/bench/*_bench; do $$program; done

package:  ## Debian packages for processors with and without AVX2, in build/packages
	@tools/setup package
	@for level in x86-64-v3 x86-64-v2; do set -e; cmake --preset $$level $(CONFIGURE) > /dev/null; \
	  cmake --build build/$$level -j $(JOBS) --target instantgp_installed; done
	@rm -rf build/packages
	@cpack --config build/x86-64-v2/CPackConfig.cmake -B build/packages > build/packages.log || { cat build/packages.log; exit 1; }
	@ls -sh build/packages/*.deb

tidy:  ## clang-tidy over the library and the program; fails when it finds more than tools/tidy_counts.txt allows
	@tools/setup ci
	@tools/tidy

format:  ## clang-format over every file (needs clang-format)
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

check-format:  ## fail when `make format` would change something
	@tools/setup ci
	@git ls-files '*.h' '*.cc' | xargs clang-format --dry-run -Werror

setup:  ## install the Debian packages that are missing
	@tools/setup

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 14
