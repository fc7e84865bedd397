"""Parts of kept runs: sums of blocks as parquet files, and what is said of one that cannot be read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from palace_sim.plans import Plan
from palace_sim.totals import Totals

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class DamagedPartError(ValueError):
    """A part that cannot be read."""


def write_part(path: Path, totals: Totals, said: dict[str, Any]) -> None:
    """Write sums as a parquet file: a row a batch and line-up, what is not of batches in its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    used = np.flatnonzero(totals.batch_deals)
    many = len(totals.lineups)
    columns: dict[str, Any] = {
        "batch": np.repeat(used.astype(np.int16), many),
        "lineup": np.tile(np.arange(many, dtype=np.int32), len(used)),
        "deals": np.repeat(totals.batch_deals[used], many),
    }
    sums = totals.batches[used].reshape(len(used) * many, -1)
    for k in range(sums.shape[1]):
        columns[f"sum_{k}"] = sums[:, k]
    exact = {name: getattr(totals, name).tolist() for name in ("policy", "products", "pair_net", "pair_squares")}
    table, text = pa.table(columns), json.dumps(said | exact)
    table = table.replace_schema_metadata({"palace_sim": text, "sha256": _digest(table, text)})
    pq.write_table(table, path)


def _digest(table: pa.Table, text: str) -> str:
    """Hash of all that a part of sums says: parquet alone lets a flipped bit of a number pass."""
    digest = hashlib.sha256(text.encode())
    for name in table.column_names:
        digest.update(name.encode() + np.ascontiguousarray(table[name].to_numpy()).tobytes())
    return digest.hexdigest()


def file_digest(path: Path) -> str:
    """Hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_part(path: Path, plan: Plan) -> tuple[Totals, dict[str, Any]]:
    """Read the sums of a part, for the line-ups and policies of a plan.

    Raises
    ------
    DamagedPartError
        It cannot be read; named.
    """
    table, said = open_part(path)
    try:
        totals = Totals.empty(plan)
        used = table["batch"].to_numpy().astype(np.int64)
        lineups = table["lineup"].to_numpy()
        sums = np.stack([table[name].to_numpy() for name in table.column_names if name.startswith("sum_")], axis=1)
        totals.batches[used, lineups] = sums
        totals.batch_deals[used] = table["deals"].to_numpy()
        names = [policy.name for policy in plan.policies]
        at = [names.index(name) for name in said["policies"] if name in names]
        keep = [k for k, name in enumerate(said["policies"]) if name in names]
        totals.policy[at] = np.array(said["policy"], np.int64)[keep]
        totals.pair_net[np.ix_(at, at)] = np.array(said["pair_net"], np.int64)[np.ix_(keep, keep)]
        for name in ("products", "pair_squares"):
            getattr(totals, name)[np.ix_(at, at)] = np.array(said[name], dtype=object)[np.ix_(keep, keep)]
    except (KeyError, IndexError, ValueError) as error:
        raise DamagedPartError(f"part {path} is damaged: {type(error).__name__}: {error}") from error
    if int(totals.batch_deals.sum()) != sum(count for _, count in said["blocks"]):
        raise DamagedPartError(f"part {path} is damaged: it lacks deals")
    return totals, said


def open_part(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """Read a part of sums: its table, and what was said with it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        text = table.schema.metadata[b"palace_sim"].decode()
        if _digest(table, text) != table.schema.metadata[b"sha256"].decode():
            raise ValueError("its numbers are not those that were written")
        said = json.loads(text)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise DamagedPartError(f"part {path} is damaged: {' '.join(str(error).split())[:200]}") from error
    return table, said


def read_rows(path: Path, digest: str | None) -> pd.DataFrame:
    """Read a part of rows, whose file has this hash."""
    import pandas as pd

    try:
        if digest is not None and file_digest(path) != digest:
            raise ValueError("it is not the file that was written")
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:  # pyarrow's errors are ValueErrors
        raise DamagedPartError(
            f"part {path} is damaged ({' '.join(str(error).split())[:200]}): delete it and the part of sums of the "
            f"same number, and resume to play its deals again"
        ) from error
