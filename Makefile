# make help lists the targets.

SHELL := /bin/bash
GO    ?= go
BIN   := bin
# The version of PostgreSQL to test on: 16, 17 or 18. Without one it is what setup finds, Debian's.
PG    ?=
on     = $(if $(PG),PATH="$$(scripts/postgres $(PG)):$$PATH",) $(GO) tool gotestsum --format pkgname-and-test-fails --
# What of the tests is about a database at all: all of it holds on one that Citus spreads over several nodes, too.
spread = ./migrations ./pkg/...
# The short form, for CI: the schema and its distribution, moves, a worker that is killed while candidates save, every route and job.
brief  = ./migrations ./pkg/kernel/cluster ./pkg/people/access ./pkg/exam/session
routes = ./pkg/surface/... -run 'Distribute|EveryRouteAnswersAValidRequest|AWorkerThatIsAway|EveryJobDoesItsWork'
citus  = PATH="$$(scripts/citus):$$PATH" ASSESS_TEST_CITUS=1 $(GO) tool gotestsum --format pkgname-and-test-fails -- -count=1 -timeout 60m
# What hangs most on the version: on 16 and 17 these must do.
middle = ./migrations ./pkg/kernel/db ./pkg/report/projection ./pkg/report/reporting ./pkg/exam/session

export CGO_ENABLED ?= $(shell command -v gcc >/dev/null 2>&1 && echo 1 || echo 0)

.DEFAULT_GOAL := help
.PHONY: help setup browser build release run demo test test-citus brief-citus check alerts contract versions tests fmt vet lint generate generated picture bench golden db clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: ## install what a fresh Debian machine lacks (PostgreSQL)
	@scripts/setup
	@[ "$(CI)" != true ] || scripts/browser

browser: ## install what the tests in a real browser need: chromium and axe-core
	@scripts/browser

build: ## build assessd and assessctl into bin/
	@mkdir -p $(BIN)
	$(GO) build -trimpath -buildvcs=auto -tags nomsgpack -ldflags '-s -w' -o $(BIN)/ ./cmd/assessd ./cmd/assessctl

release: ## build the archives of a release for each system and processor into dist/
	@scripts/release

run: setup build ## run assessd with its own PostgreSQL on 127.0.0.1:8080
	$(BIN)/assessd --embedded

demo: setup build ## sample exam, several hundred candidates, reports; the server stays up
	@scripts/demo

test: setup ## run all tests against a real PostgreSQL that they start themselves; PG=18 chooses another version
	$(on) -shuffle=on ./...

test-citus: setup ## run the tests on a coordinator and two workers with Citus; ASSESS_CITUS names the archive
	@scripts/citus >/dev/null
	$(citus) $(spread)

brief-citus: setup
	@scripts/citus >/dev/null
	$(citus) $(brief)
	$(citus) $(routes)

check: setup browser fmt vet lint generated ## what CI runs: format, vet, linters, generated files, alerts, contract, tests with -race, on all versions of PostgreSQL, all real data, the demo
	@command -v gcc >/dev/null || { apt-get update -qq && apt-get install -y -qq gcc libc6-dev; }
	CI=$${CI:-true} CGO_ENABLED=1 $(GO) tool gotestsum --format pkgname-and-test-fails -- -race -shuffle=on -timeout 30m ./...
	@$(MAKE) --no-print-directory versions
	@if scripts/citus >/dev/null; then $(MAKE) --no-print-directory brief-citus; fi
	CI=$${CI:-true} ASSESS_FULL=1 $(GO) tool gotestsum --format pkgname-and-test-fails -- -run Oracle -timeout 20m ./pkg/surface/replay
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory alerts
	@$(MAKE) --no-print-directory contract
	@set -o pipefail; rm -rf .pg/demo && DEMO_STAY=no DEMO_DIR=.pg/demo scripts/demo | grep 'CHE02 after' >/dev/null && rm -rf .pg/demo

versions: ## run the tests on the versions of PostgreSQL that Debian does not carry: all of them on 18
	@$(MAKE) --no-print-directory tests PG=18 tests=./...
	@for v in 16 17; do $(MAKE) --no-print-directory tests PG=$$v tests="$(middle)" || exit 1; done
	@echo "tested on Debian's $$($$(ls -d /usr/lib/postgresql/*/bin | head -1)/postgres --version), and $$(for v in 16 17 18; do $$(scripts/postgres $$v)/postgres --version; done | paste -sd,)"

tests:
	CI=$${CI:-true} $(on) -shuffle=on -timeout 20m $(tests)

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

contract: setup build ## check the OpenAPI description with the recommended rules of Redocly and Spectral
	scripts/contract

generate: ## write the generated files anew (sample cohort)
	$(GO) generate ./...

generated: ## fail when a generated file is not up to date
	@$(GO) mod tidy -diff >/dev/null || { echo "go.mod is not tidy: go mod tidy"; exit 1; }

golden: setup ## write the golden files anew; read the diff before you commit
	GOLDEN=1 $(GO) test ./... -count=1

picture: setup browser build ## draw docs/picture.png anew, out of the demonstration
	@scripts/picture

bench: setup ## measure against hand-written SQL in the same run
	$(GO) run ./bench

db: setup ## psql into the database of make run, as superuser
	@$(GO) run ./pkg/kernel/pgdev/psql var/pg assess

clean: ## remove what was built
	rm -rf $(BIN) dist .demo
