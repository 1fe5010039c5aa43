# The program in a Debian image. Not built in CI, which has no Docker; the same steps run there on the
# machine itself.
#   docker build -t attend .
#   docker run --rm -v "$PWD:/data" attend translate --model /data/model "Hello."
# ATTEND_PIP_INDEX: the index of CPU wheels, where PyPI's wheel is a CUDA build (see README.md).
FROM debian:12-slim AS build
ARG ATTEND_PIP_INDEX=
RUN apt-get update && apt-get install -y --no-install-recommends make ca-certificates
WORKDIR /src
COPY tools tools
COPY Makefile .
RUN YES=1 make setup
COPY . .
RUN YES=1 make build && cmake --install build/release --prefix /opt/attend --component program

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
      libutf8proc2 libsentencepiece0 libhwy1 librsvg2-2 zlib1g && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/attend /opt/attend
COPY --from=build /src/.deps/libtorch/torch/lib /src/.deps/libtorch/torch/lib
ENTRYPOINT ["/opt/attend/bin/attend"]
