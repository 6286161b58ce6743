# All commands use the pinned Node that npm installs. Requirements: git, Node 20 or newer with npm, and Go or internet access.
SHELL := /bin/sh
.DEFAULT_GOAL := help
# npm runs on the Node of the machine, and installs the pinned one.
machine_path := $(PATH)
export PATH := $(CURDIR)/dev/bin:$(CURDIR)/node_modules/.bin:$(PATH)

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: node_modules ## Start everything on this machine, deploy a sample, show the result
	@node dev/demo.ts

up: node_modules ## Start everything, without the sample; CLUSTER=current uses the cluster of kubectl
	@node dev/up.ts $(CLUSTER)

down: node_modules ## Stop everything; data is kept
	@node dev/down.ts

test: verify ## Run all checks and tests, on a real API server
	@node dev/test.ts unit cluster

test-chart: node_modules ## Run the tests of the Helm chart; the first run builds Helm
	@node dev/test.ts chart

test-unit: node_modules ## Run the tests that need no servers
	@node dev/test.ts unit

test-only: node_modules ## Run some tests: make test-only FILES=test/domain/graph/graph.test.ts
	@jest $(FILES)

soak: node_modules ## Run the long tests: crash sweeps, fuzzing, new seeds of the simulation (hours)
	@QUARTERMASTER_SOAK=1 node dev/test.ts unit cluster chart node

verify: node_modules ## Check types, lint, format, generated files, unused code
	@tsc -p .
	@tsc -p portal
	@oxlint --type-aware --deny-warnings
	@biome ci --colors=off --log-level=warn
	@node dev/generate/main.ts --check
	@knip
	@echo verified

format: node_modules ## Format the code and apply lint fixes
	@oxlint --type-aware --fix
	@biome check --write --log-level=warn

generate: node_modules ## Write the generated files: crds/, pages of docs/, parts of the chart
	@node dev/generate/main.ts

score: node_modules ## Print a Score file as Workloads: make -s score FILE=score.yaml APP=shop ENV=staging [IMAGE=…] [ORG=acme]
	@node dev/score/main.ts '$(FILE)' --app '$(APP)' --env '$(ENV)' --image '$(IMAGE)' --org '$(ORG)'

driver-contract: node_modules ## Test a running driver against the protocol: make driver-contract URL=… [INPUTS=file]
	@node dev/driver-contract/main.ts $(URL) $(if $(INPUTS),--inputs $(INPUTS))

bench: node_modules ## Measure speed and memory, relative to a baseline of this machine
	@node bench/main.ts

manifests: node_modules ## Render the chart as one file: dist/quartermaster.yaml (needs Go or the internet)
	@node dev/manifests.ts

image: node_modules ## Build the container image (needs Docker)
	@version=$$(node -p "require('./package.json').version") && \
	  docker build --build-arg SOURCE_DATE_EPOCH=0 --build-arg VERSION=$$version -t quartermaster:$$version .

image-archive: node_modules ## Compose the image without Docker: dist/quartermaster.oci.tar (Linux)
	@node dev/image/archive.ts $(NAME)

node: node_modules ## Run Quartermaster in pods of a real node (Linux, root; see docs/node.md)
	@node dev/node/up.ts

node-down: node_modules ## Remove the node of `make node`, with its data
	@node dev/node/down.ts

node-test: node_modules ## Run the tests on a real node (Linux, root)
	@node dev/test.ts node

kind: image ## Run Quartermaster in a cluster in Docker, by the program kind
	@node dev/kind.ts

kind-down: node_modules ## Delete the cluster of `make kind`
	@node dev/kind.ts down

node_modules: package.json package-lock.json
	@PATH='$(machine_path)' npm ci --no-audit --no-fund --loglevel=error
	@touch node_modules

.PHONY: help demo up down test test-unit test-chart test-only soak verify format generate score driver-contract bench manifests image image-archive node node-down node-test kind kind-down
