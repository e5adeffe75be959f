# The two commands: `make demo` and `make test`. `make help` lists the rest.
JOBS ?= $(shell nproc)
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache,-DINSTANTGP_PCH=ON)
# The stations that read bytes from outside.
INPUT_TESTS := $(filter base data kernel cli,$(notdir $(wildcard tests/*)))

.PHONY: all release demo test asan asan-inputs tsan bench tidy format setup clean help

all: release

release:  ## (default) build the program into build/release
	@cmake --preset release $(LAUNCHER) > /dev/null
	@cmake --build --preset release -j $(JOBS)
	@echo "built build/release/instantgp"

demo:  ## install what is missing, build, one-shot inference on the airline example against type-2 ML, draw demo.svg
	@tools/setup build
	@$(MAKE) --no-print-directory release
	build/release/instantgp fit --example --kernel "LIN + SE*PER" --holdout 0.2 --compare refine,ml --plot demo.svg
	@echo "the picture is in $(CURDIR)/demo.svg"

test:  ## install what is missing, build, run every test
	@tools/setup
	@cmake --preset dev $(LAUNCHER) > /dev/null
	@cmake --build --preset dev -j $(JOBS)
	@ctest --preset dev -j $(JOBS) --timeout 600

asan:  ## every test under the address and undefined-behaviour sanitizers
	@cmake --preset asan $(LAUNCHER) > /dev/null
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS) --timeout 1800 -E '^(layers|headers)'

asan-inputs:  ## the same for the tests of what reads bytes from outside
	@cmake --preset asan $(LAUNCHER) > /dev/null
	@cmake --build --preset asan -j $(JOBS) --target $(INPUT_TESTS:%=%_test)
	@ctest --preset asan -j $(JOBS) --timeout 1800 -R '^($(subst $() ,|,$(INPUT_TESTS)))$$'

tsan:  ## every test under the thread sanitizer
	@cmake --preset tsan $(LAUNCHER) > /dev/null
	@cmake --build --preset tsan -j $(JOBS)
	@OPENBLAS_NUM_THREADS=1 ctest --preset tsan -j $(JOBS) --timeout 1800 -E '^(layers|headers)'

bench:  ## build and run the benchmarks
	@tools/setup
	@cmake --preset release $(LAUNCHER) -B build/bench -DINSTANTGP_BENCH=ON > /dev/null
	@cmake --build build/bench -j $(JOBS)
	@set -e; for program in build/bench/bench/*_bench; do $$program; done

tidy:  ## clang-tidy over the library and the program (needs clang-tidy)
	@cmake --preset dev $(LAUNCHER) > /dev/null
	@run-clang-tidy -quiet -p build/dev -j $(JOBS) '/(instantgp|apps)/.*\.cc$$'

format:  ## clang-format over every file (needs clang-format)
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

setup:  ## install the Debian packages that are missing
	@tools/setup

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 14
