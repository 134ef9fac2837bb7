# Fairlead itself: the API, the reconcilers, and the programs that builds and providers run in their pods.
ARG BASE_IMAGE=node:24-bookworm-slim
FROM ${BASE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force
COPY crds crds
COPY sdk sdk
COPY src src
USER 65532:65532
ENTRYPOINT ["node", "/app/src/main.ts"]
