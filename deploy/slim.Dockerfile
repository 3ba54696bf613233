# The image without shell, npm and optional packages: it writes tables as CSV only. From the whole one:
#   docker build -f deploy/slim.Dockerfile -t selvage:0.1.0-slim .

ARG WHOLE_IMAGE=selvage:0.1.0
ARG SLIM_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${WHOLE_IMAGE} AS required
USER 0
WORKDIR /selvage
RUN ["npm", "prune", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]

FROM ${SLIM_IMAGE}
ENV NODE_ENV=production
COPY --from=required /usr/local/bin/node /usr/local/bin/node
COPY --from=required /selvage /selvage
COPY --from=required --chown=1000:1000 /work /work
WORKDIR /work
USER 1000:1000
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "/selvage/dist/programs/selvage.js"]
CMD ["--help"]
