"""What does an ingest cost where captions lie in a bucket, and what from disk? Measured in one run, in turns.

The server is moto's, a process of its own on this machine. The least of several repetitions counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from measuring import AUDITOR, Cost, best, load_before, run

AIM = 1.5

_SELF = [sys.executable, str(Path(__file__).resolve())]

_SERVER = (
    "import sys, time; from moto.server import ThreadedMotoServer; "
    "server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False); server.start(); "
    "print(server.get_host_and_port()[1], flush=True); time.sleep(1e6)"
)


def write_shards(tiles: int, shards: int, folder: Path) -> int:
    """Write Parquet shards of a tiled dataset; give the number of captions."""
    import polars as pl
    from ingest import write_files

    captions = write_files(tiles, None, {"parquet"}, folder)
    whole = pl.read_parquet(folder / "captions.parquet")
    (folder / "captions.parquet").unlink()
    for number in range(shards):
        whole[number * captions // shards : (number + 1) * captions // shards].write_parquet(
            folder / f"part-{number}.parquet"
        )
    return captions


def put_shards(folder: Path) -> None:
    """Put the shards into a bucket of the server that the environment names."""
    import boto3

    client = boto3.client("s3")
    client.create_bucket(Bucket="captions")
    for shard in folder.glob("part-*.parquet"):
        client.upload_file(str(shard), "captions", f"set/{shard.name}")


def measure(place: str, folder: Path) -> Cost:
    """Ingest from a place into a new store."""
    store = folder / "store.duckdb"
    store.unlink(missing_ok=True)
    command = [*AUDITOR, "-q", "ingest", "set", "--from", place, "--store", str(store), "-o", str(folder / "r.json")]
    return run(command, folder)[0]


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiles", type=int, default=4, help="how often flickr30k is written")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--put", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.write:
        print(write_shards(asked.tiles, asked.shards, asked.write))
        return
    if asked.put:
        put_shards(asked.put)
        return
    print(load_before())
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server,
    ):
        folder = Path(name)
        try:
            assert server.stdout is not None
            os.environ |= {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{int(server.stdout.readline())}"}
            os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
            captions = int(run([*_SELF, "--write", name, *arguments], folder)[1])
            run([*_SELF, "--put", name], folder)
            size = sum(shard.stat().st_size for shard in folder.glob("part-*.parquet"))
            print(f"{captions:,} captions, {asked.shards} shards, {size / 2**20:.1f} MiB\n")
            places = {"disk": f"{name}/part-*.parquet", "bucket": "s3://captions/set/part-*.parquet"}
            costs: dict[str, list[Cost]] = {place: [] for place in places}
            for _ in range(asked.repeat):
                for place, pattern in places.items():
                    costs[place].append(measure(pattern, folder))
                    time.sleep(1)
        finally:
            server.terminate()
    least = {place: best(found) for place, found in costs.items()}
    print("| from | wall s | CPU s | peak MiB |\n| --- | ---: | ---: | ---: |")
    for place, cost in least.items():
        print(f"| {place} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak:.0f} |")
    ratio = least["bucket"].wall / least["disk"].wall
    print(f"\nbucket ÷ disk: {ratio:.2f} of wall time (aim: at most {AIM:g})")


if __name__ == "__main__":
    main(sys.argv[1:])
