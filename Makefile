# Everything a newcomer needs is `make run` and `make test`; `make help` lists the rest.
GO      ?= go
BIN     := $(CURDIR)/bin
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
FUZZTIME ?= 10s

GOLANGCI := $(BIN)/golangci-lint-2.15.0
CLIENTS  := $(BIN)/clients

.DEFAULT_GOAL := build

# vespe is the command line alone, which starts faster; it opens the workbench in vespe-workbench, the whole program
# (docs/architecture.md, Start-up).
build: DIR = .
build: both ## build ./vespe and ./vespe-workbench

both: export CGO_ENABLED = 0
both:
	@mkdir -p $(DIR)
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(DIR)/vespe-workbench .
	id=$$($(GO) tool buildid $(DIR)/vespe-workbench) && \
	  $(GO) build -trimpath -ldflags "$(LDFLAGS) -X main.workbench=$$id" -o $(DIR)/vespe ./internal/vespe-cli

run: build ## build, and open the workbench: on the store here, or on a demo store in ./demo
	@if ./vespe ls --limit 1 >/dev/null 2>&1; then ./vespe; else ./vespe demo demo; fi

install: DIR = $(or $(shell $(GO) env GOBIN),$(firstword $(subst :, ,$(shell $(GO) env GOPATH)))/bin)
install: both ## install both into Go's bin directory

# Where goroutines share memory, and the tests there in which several things happen at once: these run again, smaller,
# with the race detector, which takes four to six times as long. `make race` runs everything with it.
RACE  := ./store ./ui ./engine ./agents/desk ./agents/mcpserver ./model ./model/snapshot ./store/index
RACED := AtOnce|Beside|Close|Follow|Fuzz|Late|Live|Lock|Loop|Many|Partial|Race|Random|Runs|Several|Two|Wait|Watch

# Of these the detector sees nothing: they happen in processes of their own, in stores of their own or one after another,
# or check a check. Most of the others wait for timers, so eight run at a time.
APART := BeginsLate|DeadProcess|HostileRuns|Kill|Linear|ManyArguments|ManyWriters|MilestonesAndRuns|Noticed|Processes|RecordedNow|RunsNo

# The longest start first: they run many tests one at a time, which at the end would leave a core idle. Without C, as the
# program is built: the tests in e2e that build it find most of it compiled.
FIRST := ./store ./e2e ./engine

test: ## every test, and those in which several things happen at once again, with the race detector
	CGO_ENABLED=0 .ci/fast $(GO) test -vet=off -count=1 -timeout 60m $(FIRST) ./...
	.ci/fast $(GO) test -vet=off -race -count=1 -short -parallel 8 -timeout 60m -run '$(RACED)' -skip '$(APART)' $(RACE)

# Packages whose tests start git or other processes, or make stores by the hundred: they take minutes.
SLOW := e2e|e2e/clients|engine|engine/proc|engine/verify|engine/worktree|internal/signing|store|store/index|ui

quick: ## the tests that take no minutes: without the built program, the race detector, and packages that start processes
	.ci/fast $(GO) test -vet=off -short $$($(GO) list ./... | grep -vE '^vespe/($(SLOW))$$')

race: ## every test with the race detector, which takes several times as long
	.ci/fast $(GO) test -vet=off -race -timeout 60m ./...

# What the torture tests ask of the system: the Debian names of what they run.
TORTURE_NEEDS := strace e2fsprogs xfsprogs btrfs-progs

torture: ## the tests that need root, mounts, strace or minutes; installs what they need; TORTURE=full: all of each, in hours
	@dpkg -s $(TORTURE_NEEDS) >/dev/null 2>&1 || apt-get install -y $(TORTURE_NEEDS)
	$(GO) vet -tags torture ./...
	$(GO) test -tags torture -run 'Torture|Worst' -count=1 -v -timeout 480m ./...

e2e: $(CLIENTS)/.installed $(CLIENTS)/sandbox ## scripts of calls, the built program in pseudo-terminals, and with Claude Code and Codex
	$(GO) test -count=1 -timeout 30m -run 'TestScript|TestPty' -v ./e2e
	$(GO) vet -tags clients ./e2e/clients/...
	$(GO) test -count=1 -tags clients -timeout 30m -v ./e2e/clients/...

# The published clients, pinned. Nothing of them is run while they are installed.
$(CLIENTS)/.installed: e2e/clients/npm/package.json e2e/clients/npm/package-lock.json
	@command -v npm >/dev/null || { echo "make e2e needs Node.js 20 or newer with npm: https://nodejs.org/ (Debian: apt-get install nodejs npm)" >&2; exit 1; }
	mkdir -p $(CLIENTS)
	cp $^ $(CLIENTS)/
	cd $(CLIENTS) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

# The libraries of socat, by their Debian names: a small system has none of them.
SOCAT_NEEDS = libwrap0 $(shell apt-cache pkgnames libnsl2) $(firstword $(shell apt-cache pkgnames libtirpc3))

# What Claude Code's sandbox needs on Linux. It is unpacked and not installed, which takes no root.
$(CLIENTS)/sandbox:
	mkdir -p $@.new && cd $@.new && if [ "$$(uname)" != Linux ]; then :; \
	  elif command -v bwrap && command -v socat; then ln -s $$(command -v bwrap) $$(command -v socat) .; \
	  else apt-get download bubblewrap socat $(SOCAT_NEEDS) && for p in *.deb; do dpkg -x $$p .; done && ln -s usr/bin/bwrap . && \
	    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s/usr/bin/socat "$$@"\n' "$$(echo usr/lib/*-linux-* lib/*-linux-* | sed 's|[^ ]*|$@/&|g; s| |:|g')" "$@" > socat && chmod +x socat; fi
	mv $@.new $@

golden: ## rewrite the golden files, to be looked at with git diff
	UPDATE_GOLDEN=1 $(GO) test ./... >/dev/null || true
	$(GO) test ./...

pictures: ## draw the pictures of the documents anew
	PICTURES=$(CURDIR)/docs/pictures $(GO) test -count=1 -run TestPictures ./ui

# Go's fuzzer sometimes calls its own time limit a failure: a run that ends so
# and names no failing input has found nothing.
fuzz: ## run each fuzz target for FUZZTIME (10s)
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$f"; \
	    if ! $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg > fuzz.out 2>&1; then \
	      if grep -q 'context deadline exceeded' fuzz.out && ! grep -q 'Failing input' fuzz.out; then echo "ended at its time limit"; \
	      else cat fuzz.out; exit 1; fi; \
	    else tail -1 fuzz.out; fi; done; done; rm -f fuzz.out

bench: ## the benchmarks, as a table of figures, ratios and budgets
	@$(GO) test -run '^$$' -bench . -benchtime 3x -timeout 30m ./... > bench.out 2>&1 || { cat bench.out; exit 1; }
	@awk -f e2e/benchtable.awk bench.out

lint: $(GOLANGCI) ## golangci-lint (staticcheck, errcheck, gofumpt, …)
	$(GOLANGCI) run ./...

$(GOLANGCI):
	GOBIN=$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	mv $(BIN)/golangci-lint $@

cover: ## coverage by package
	$(GO) test -coverprofile=cover.out ./... && $(GO) tool cover -func=cover.out | tail -1

clean: ## remove what make built
	rm -rf vespe vespe-workbench bin bench.out cover.out

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build both run install test quick race torture e2e golden pictures fuzz bench lint cover clean help
