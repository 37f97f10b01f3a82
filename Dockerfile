# docker build -t warpline . && docker run --rm -v "$PWD:/work" warpline run atax
#
# The first stage is README.md's two commands, `make deps` and `make`, and a package of what they build; the second
# installs the package.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make dpkg-dev file
COPY . /src
WORKDIR /src
RUN make deps
RUN make && make deb

FROM debian:12-slim
COPY --from=build /src/build/*.deb /tmp/
RUN apt-get update && apt-get install -y /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["warpline"]
CMD ["help"]
