# One image, two commands: /operator.mjs (the default) and /gateway.mjs. Node of the image, no shell, not root.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node dev/build.ts /bundles

FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=build /bundles/*.mjs /
COPY --from=build /bundles/viewer /viewer
USER 65532:65532
ENV NODE_ENV=production
# A small young generation halves the memory under load and costs no time.
ENV NODE_OPTIONS=--max-semi-space-size=8
CMD ["/operator.mjs"]
