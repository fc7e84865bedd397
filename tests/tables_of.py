"""All tables of a result as bytes, to compare runs that were done in different ways."""

import palace_sim as ps


def tables_of(result):
    """Return every table of a result, as bytes of its text with all digits."""
    tables = [result.summary, result.seats, result.battles, result.deals]
    if isinstance(result, ps.Tournament):
        tables += [result.crosstable, result.crosstable_se]
    return [table.to_csv().encode() for table in tables]


def same_tables(made, wanted):
    """Assert that two results have the same tables, byte for byte."""
    for a, b in zip(tables_of(made), tables_of(wanted), strict=True):
        assert a.decode() == b.decode()
    if isinstance(wanted, ps.Tournament):
        assert made.stopped == wanted.stopped
        assert (made.confirmation is None) == (wanted.confirmation is None)
        if wanted.confirmation is not None:
            same_tables(made.confirmation, wanted.confirmation)
