# make help lists the targets.

SHELL := /bin/bash
GO    ?= go
BIN   := bin
# The version of PostgreSQL to test on: 16, 17 or 18. Without one it is what setup finds, Debian's.
export PG ?=
# The same flags for programs, tests and releases, in every folder, so that all come out of one build cache.
export GOFLAGS := -tags=nomsgpack -trimpath $(GOFLAGS)
# Tests that start the programs take those that were built here, if they were.
built = ASSESS_PROGRAMS=$(CURDIR)/$(BIN)
# The packages that start goroutines of their own.
concurrent = ./pkg/surface/app ./pkg/surface/cli ./pkg/surface/httpapi ./pkg/surface/replay ./pkg/people/access ./pkg/exam/session \
	./pkg/kernel/db ./pkg/kernel/job ./pkg/kernel/pgdev ./pkg/report/projection ./pkg/trust/compliance ./pkg/trust/standing ./pkg/author/authoring ./pkg/dev/apptest
others = $(filter-out $(shell $(GO) list $(concurrent)),$(shell $(GO) list ./...))
# The packages that send SQL, without the surfaces, which hold none.
sql = ./migrations ./pkg/kernel/... ./pkg/people/... ./pkg/author/... ./pkg/exam/... ./pkg/trust/... ./pkg/report/...
# The packages with golden files.
goldens = $(shell $(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep 'assess/pkg/dev/golden' | cut -d ' ' -f 1)
# The short form of the tests on Citus: the schema and its distribution, moves, a worker that is killed while candidates save, every route and job.
brief  = ./migrations ./pkg/kernel/cluster ./pkg/people/access ./pkg/exam/session
routes = ./pkg/surface/... -run 'Distribute|EveryRouteAnswersAValidRequest|AWorkerThatIsAway|EveryJobDoesItsWork'
citus  = PATH="$$(scripts/citus):$$PATH" ASSESS_TEST_CITUS=1 $(GO) tool gotestsum --format pkgname-and-test-fails -- -count=1 -timeout 60m

export CGO_ENABLED ?= $(shell command -v gcc >/dev/null 2>&1 && echo 1 || echo 0)

.DEFAULT_GOAL := help
.PHONY: help setup browser oidc build release run demo test test-changed test-citus brief-citus check check-all static race on-18 oracle alerts contract demonstration fmt vet lint generate generated picture bench bench-exam golden db clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: ## install what a fresh Debian machine lacks (PostgreSQL)
	@scripts/setup
	@[ "$(CI)" != true ] || { scripts/browser; scripts/oidc; }

browser: ## install what the tests in a real browser need: chromium and axe-core
	@scripts/browser

oidc: ## install the OpenID provider that tests sign in with
	@scripts/oidc

build: ## build assessd and assessctl into bin/
	@mkdir -p $(BIN)
	$(GO) build -buildvcs=auto -ldflags '-s -w' -o $(BIN)/ ./cmd/assessd ./cmd/assessctl

release: ## build the archives of a release for each system and processor into dist/
	@scripts/release

run: setup build ## run assessd with its own PostgreSQL on 127.0.0.1:8080
	$(BIN)/assessd --embedded

demo: setup build ## sample exam, several hundred candidates, reports; the server stays up
	@scripts/demo

test: setup ## run all tests against a real PostgreSQL that they start themselves; PG=18 chooses another version
	scripts/test -shuffle=on ./...

test-changed: setup ## run the tests of the packages that depend on what differs from main
	@packages=$$(scripts/changed) && [ -n "$$packages" ] && scripts/test $$packages || [ -z "$$packages" ]

test-citus: setup ## run the tests on a coordinator and two workers with Citus; ASSESS_CITUS names the archive
	@scripts/citus >/dev/null
	$(citus) ./migrations ./pkg/...

brief-citus: setup
	@scripts/citus >/dev/null
	$(citus) $(brief)
	$(citus) $(routes)

check: static race on-18 oracle demonstration ## what CI runs: all tests, -race where goroutines are, PostgreSQL 18, the demo
	$(built) scripts/test -shuffle=on -timeout 20m $(others)

check-all: static demonstration ## what a release runs: everything with -race, on every version of PostgreSQL, all real data, Citus
	CGO_ENABLED=1 $(built) scripts/test -race -shuffle=on -timeout 30m ./...
	@for v in 16 17 18; do $(built) PG=$$v scripts/test -count=1 -shuffle=on -timeout 30m ./... || exit 1; done
	@$(MAKE) --no-print-directory test-citus
	ASSESS_FULL=1 scripts/test -run Oracle -timeout 30m ./pkg/surface/replay
	scripts/ogen

static: setup browser oidc fmt vet lint generated build alerts contract

race: build
	@command -v gcc >/dev/null || { apt-get update -qq && apt-get install -y -qq gcc libc6-dev; }
	CGO_ENABLED=1 $(built) scripts/test -race -shuffle=on -timeout 30m $(concurrent)

on-18: build
	PG=18 scripts/test -count=1 -shuffle=on -timeout 20m $(sql)

oracle: setup
	ASSESS_FULL=1 scripts/test -run ReportsAgreeWithTheOracle/hci ./pkg/surface/replay

demonstration: build
	@set -o pipefail; rm -rf .pg/demo && DEMO_STAY=no DEMO_DIR=.pg/demo scripts/demo | grep 'CHE02 after' >/dev/null && rm -rf .pg/demo

fmt: ## fail when a file is not formatted
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not formatted: $$out"; exit 1; }

vet: ## go vet
	$(GO) vet ./...

lint: ## staticcheck
	$(GO) tool staticcheck ./...

alerts: setup ## check alerts and dashboard with promtool
	scripts/promtool check rules deploy/prometheus/assess.rules.yaml
	scripts/promtool test rules deploy/prometheus/assess.test.yaml
	@mkdir -p $(BIN)
	@jq '{groups: [{name: "dashboard", rules: [.panels[].targets[]?.expr | {record: "shown", expr: gsub("\\$$__rate_interval"; "5m")}]}]}' deploy/grafana/assess.json >$(BIN)/dashboard.json
	scripts/promtool check rules --lint=none $(BIN)/dashboard.json

contract: build ## check the OpenAPI description with the recommended rules of Redocly and Spectral
	scripts/contract

generate: ## write the generated files anew (sample cohort)
	$(GO) generate ./...

generated: ## fail when a generated file is not up to date
	@$(GO) mod tidy -diff >/dev/null || { echo "go.mod is not tidy: go mod tidy"; exit 1; }

golden: setup ## write the golden files anew; read the diff before you commit
	GOLDEN=1 $(GO) test -count=1 -skip 'TestWalks|TestTypeScriptExample' $(goldens)

picture: setup browser build ## draw the pictures of the docs anew, out of the demonstration
	@scripts/picture

bench: setup ## measure against hand-written SQL in the same run
	$(GO) run ./bench

bench-exam: setup ## ten thousand candidates take an exam at once, for half an hour
	$(GO) run ./bench -only exam

db: setup ## psql into the database of make run, as superuser
	@$(GO) run ./pkg/kernel/pgdev/psql var/pg assess

clean: ## remove what was built
	rm -rf $(BIN) dist .demo
