# One image, two commands: /operator.mjs (the default) and /gateway.mjs. No shell, not root; nothing is written to its root.
# `make image-archive` composes the same files without an engine; test/dev/image.test.ts compares the settings of both.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
# Equal times give equal layers.
RUN dev/bin/node dev/image/tree.ts /image && find /image -exec touch --date=@0 {} +

FROM gcr.io/distroless/cc-debian12:nonroot
ARG VERSION
LABEL org.opencontainers.image.title="quartermaster" \
      org.opencontainers.image.description="A resource orchestrator that lives inside Kubernetes" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image/ /
USER 65532:65532
WORKDIR /
ENV PATH=/nodejs/bin
ENV NODE_ENV=production
# See `runtime` in dev/build.ts.
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_TRIM_THRESHOLD_=131072
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "--heap-growing-percent=40"]
CMD ["/operator.mjs"]
