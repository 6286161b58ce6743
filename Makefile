# Everything runs on the pinned Node that npm brings; a newcomer needs git, Node 20 or newer with npm, and Go or the internet.
SHELL := /bin/sh
.DEFAULT_GOAL := help
# npm runs on the machine's own Node: it puts the pinned one in place.
machine_path := $(PATH)
export PATH := $(CURDIR)/dev/bin:$(CURDIR)/node_modules/.bin:$(PATH)

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: node_modules ## Bring everything up on this machine, deploy a sample, show the result
	@node dev/demo.ts

up: node_modules ## Bring everything up, without the sample deployment
	@node dev/up.ts

down: node_modules ## Stop what `up` or `demo` started; data is kept
	@node dev/down.ts

test: verify ## All checks and tests, on a real API server
	@node dev/test.ts

test-only: node_modules ## Some tests: make test-only FILES=test/domain/graph/graph.test.ts
	@NODE_OPTIONS='--experimental-vm-modules --disable-warning=ExperimentalWarning' jest $(FILES)

soak: node_modules ## The long tests: crash sweeps, fuzzing (hours)
	@QUARTERMASTER_SOAK=1 node dev/test.ts

verify: node_modules ## Types, lint, format, generated files, unused code, import rules
	@tsc -p .
	@oxlint --type-aware --deny-warnings
	@biome ci --colors=off --log-level=warn
	@node dev/generate/main.ts --check
	@knip
	@echo verified

format: node_modules ## Format the code, and mend what lint can mend
	@oxlint --type-aware --fix
	@biome check --write --log-level=warn

generate: node_modules ## Write the generated files: crds/ and parts of the chart
	@node dev/generate/main.ts

driver-contract: node_modules ## Try a running driver against the protocol: make driver-contract URL=… [INPUTS=file]
	@node dev/driver-contract/main.ts $(URL) $(if $(INPUTS),--inputs $(INPUTS))

bench: node_modules ## Measure speed and memory as ratios to the floor of this machine
	@node bench/main.ts

manifests: node_modules ## Render the chart as one file: dist/quartermaster.yaml (needs Go or the internet)
	@node dev/manifests.ts

image: node_modules ## Build the container image (needs Docker)
	@version=$$(node -p "require('./package.json').version") && \
	  docker build --build-arg SOURCE_DATE_EPOCH=0 --build-arg VERSION=$$version -t quartermaster:$$version .

image-archive: node_modules ## Compose the image without Docker: dist/quartermaster.oci.tar (Linux)
	@node dev/image/archive.ts $(NAME)

node_modules: package.json package-lock.json
	@PATH='$(machine_path)' npm ci --no-audit --no-fund --loglevel=error
	@touch node_modules

.PHONY: help demo up down test test-only soak verify format generate driver-contract bench manifests image image-archive
