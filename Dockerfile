# Fairlead itself: the API, the controller, and the programs that builds and providers run in their pods. Everything in it
# belongs to root and can be written by nobody: it runs as any user, on a read-only root. Only plain instructions, so that
# `docker build` with and without BuildKit and `buildah bud` read it alike. `npm run update:base` brings the base up to date.
ARG BASE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

# The console and the package of provider code, whose bundler, compiler and libraries are not in the image.
FROM ${BASE_IMAGE} AS package
WORKDIR /fairlead
ARG npm_config_registry=https://registry.npmjs.org/
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY packaging/buildable.ts packaging/console.ts packaging/sdk.ts packaging/
COPY src src
RUN node packaging/sdk.ts && node packaging/console.ts
# The command-line client is for the machines of people.
RUN rm -r sdk/bin

FROM ${BASE_IMAGE} AS build
# `npm sbom` calls the whole after its folder.
WORKDIR /fairlead
# Where packages are fetched, as npm itself calls it; not in the image.
ARG npm_config_registry=https://registry.npmjs.org/
# `true` adds the issuer of the evaluation mode, which signs a token for whoever asks, and its library.
ARG EVALUATION=false
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
RUN if [ "$EVALUATION" != true ]; then \
      npm pkg delete dependencies.oidc-provider && npm prune --omit=dev --ignore-scripts --offline --no-audit --no-fund; \
    fi
# Of what is installed. While package.json names what is for development, `npm sbom` misses it here, and `--omit=dev` by the lock file
# leaves out what both need.
RUN npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json
# Maps and declarations are not loaded by anything here, but for the declarations of zod and jose: those of `fairlead/provider`
# refer to them, and authors' compilers read them during builds.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) \
    -not -path 'node_modules/zod/*' -not -path 'node_modules/jose/*' -delete
COPY LICENSE ./
COPY crds crds
COPY --from=package /fairlead/sdk sdk
COPY src src
# Sources of clients, which are built.
RUN rm -r src/cli src/console
RUN if [ "$EVALUATION" != true ]; then \
      rm -r src/app/development.ts src/app/evaluation.ts src/issuer src/dev; \
    fi
# A checkout may be readable by its owner alone.
RUN chmod -R a+rX,go-w .

FROM ${BASE_IMAGE}
ARG BASE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG VERSION=0.2.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="fairlead" \
      org.opencontainers.image.description="Multi-tenant resource orchestration on Kubernetes" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${BASE_IMAGE}" \
      dev.fairlead.sbom="/app/sbom.cdx.json"
# npm stays, and npx, which is a face of it: builds of providers run `npm ci`, and scripts of their authors, in pods of this image.
# What only installs other package managers, or headers for compilers that are not here, goes. Nothing gives rights to who runs it.
RUN rm -rf /usr/local/lib/node_modules/corepack /usr/local/bin/corepack /usr/local/include/node \
      /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
WORKDIR /app
ENV NODE_ENV=production
# Layers by how seldom they change: an upgrade fetches the last ones.
COPY --from=build /fairlead/node_modules node_modules
COPY --from=build /fairlead/package.json /fairlead/LICENSE /fairlead/sbom.cdx.json ./
COPY --from=build /fairlead/crds crds
COPY --from=build /fairlead/sdk sdk
COPY --from=build /fairlead/src src
USER 65532:65532
ENTRYPOINT ["node", "/app/src/main.ts"]
