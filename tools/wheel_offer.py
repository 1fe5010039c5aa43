"""Reads pip's installation report (standard input) of one wheel and prints: version, size in MB (or
"unknown"), and "yes" when it is a CUDA build: it asks for CUDA's libraries here, or is over 1 GB."""

import json
import os
import re
import sys
import urllib.parse
import urllib.request

CUDA_MB = 1000


def size_mb(url):
    parts = urllib.parse.urlsplit(url)
    try:
        if parts.scheme == "file":
            return os.path.getsize(urllib.request.url2pathname(parts.path)) / 1e6
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.headers["Content-Length"]) / 1e6
    except (OSError, TypeError, ValueError):
        return None


def asks_for_cuda(requirements):
    from pip._vendor.packaging.requirements import Requirement

    for text in requirements:
        requirement = Requirement(text)
        if re.match(r"nvidia-|cuda-|triton", requirement.name):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                return True
    return False


def main():
    item = json.load(sys.stdin)["install"][0]
    metadata = item["metadata"]
    size = size_mb(item["download_info"]["url"])
    cuda = asks_for_cuda(metadata.get("requires_dist", [])) or "+cu" in metadata["version"]
    cuda = cuda or (size is not None and size > CUDA_MB)
    print(metadata["version"], "unknown" if size is None else round(size), "yes" if cuda else "no")


main()
