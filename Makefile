# make help lists the targets.

SHELL := /bin/bash
GO    ?= go
BIN   := bin
export CGO_ENABLED ?= $(shell command -v gcc >/dev/null 2>&1 && echo 1 || echo 0)

.DEFAULT_GOAL := help
.PHONY: help setup build run demo test check fmt vet lint generate generated bench golden db clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: ## install what a fresh Debian machine lacks (PostgreSQL)
	@scripts/setup

build: ## build assessd and assessctl into bin/
	@mkdir -p $(BIN)
	$(GO) build -trimpath -o $(BIN)/ ./cmd/assessd ./cmd/assessctl

run: setup build ## run assessd with its own PostgreSQL on 127.0.0.1:8080
	$(BIN)/assessd --embedded

demo: setup build ## sample exam, several hundred candidates, reports; the server stays up
	@scripts/demo

test: setup ## run all tests against a real PostgreSQL that they start themselves
	$(GO) tool gotestsum --format pkgname-and-test-fails -- -shuffle=on ./...

check: setup fmt vet lint generated ## what CI runs: format, vet, linters, generated files, tests with -race, all real data, the demo
	@command -v gcc >/dev/null || { apt-get update -qq && apt-get install -y -qq gcc libc6-dev; }
	CI=$${CI:-true} CGO_ENABLED=1 $(GO) tool gotestsum --format pkgname-and-test-fails -- -race -shuffle=on -timeout 20m ./...
	CI=$${CI:-true} ASSESS_FULL=1 $(GO) tool gotestsum --format pkgname-and-test-fails -- -run Oracle -timeout 20m ./pkg/surface/replay
	@$(MAKE) --no-print-directory build
	@rm -rf .pg/demo && DEMO_STAY=no DEMO_DIR=.pg/demo scripts/demo >/dev/null && rm -rf .pg/demo

fmt: ## fail when a file is not formatted
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not formatted: $$out"; exit 1; }

vet: ## go vet
	$(GO) vet ./...

lint: ## staticcheck
	$(GO) tool staticcheck ./...

generate: ## write the generated files anew (sample cohort)
	$(GO) generate ./...

generated: ## fail when a generated file is not up to date
	@$(GO) mod tidy -diff >/dev/null || { echo "go.mod is not tidy: go mod tidy"; exit 1; }

golden: setup ## write the golden files anew; read the diff before you commit
	GOLDEN=1 $(GO) test ./... -count=1

bench: setup ## measure against hand-written SQL in the same run
	$(GO) run ./bench

db: setup ## psql into the database of make run, as superuser
	@$(GO) run ./pkg/kernel/pgdev/psql var/pg assess

clean: ## remove what was built
	rm -rf $(BIN) .demo
