"""What the source modules share: where the raw files are, the KB, and look-ups that one module fills for others."""

import csv
import gzip
import json
import sqlite3
from pathlib import Path

from .model import KB


class Context:
    def __init__(self, data):
        self.data = Path(data)
        self.kb = KB()
        self.pins = json.loads((Path(__file__).parent.parent / "pins.json").read_text(encoding="utf-8"))["packages"]
        self.country_by_name = {}    # lower-case name -> entity id
        self.language_by_name = {}   # lower-case name -> entity id
        self.element_by_name = {}    # lower-case name -> entity id
        self.city_records = {}       # entity id -> raw GeoNames record
        self.cities_by_name = {}     # (country code, folded name) -> entity ids
        self.division_by_name = {}   # (country code, folded name) -> entity id
        self.us_states = {}          # postal code -> entity id
        self.people = {}             # identity key shared between sources -> entity id
        self.legislators = []        # people of us-legislators, for the elections

    def path(self, package, inner):
        """A file inside an unpacked package."""
        return self.data / package / inner

    def source(self, package, part=""):
        """Register 'package version file' as a source of facts."""
        text = f"{package} {self.pins[package]['version']}"
        return self.kb.source(f"{text} {part}".strip())

    def json(self, package, inner, exact=True):
        """JSON of a package; numbers with a fraction stay text, so that no digit changes."""
        with open(self.path(package, inner), encoding="utf-8") as handle:
            return json.load(handle, parse_float=str if exact else float)

    def csv(self, package, inner, encoding="utf-8"):
        path = self.path(package, inner)
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding=encoding, newline="") as handle:
            yield from csv.DictReader(handle)

    def sqlite(self, package, inner):
        connection = sqlite3.connect(f"file:{self.path(package, inner)}?mode=ro", uri=True)
        connection.row_factory = sqlite3.Row
        return connection

    def country(self, name):
        """Entity id of a country or territory called so, or None."""
        return self.country_by_name.get(" ".join((name or "").lower().replace("’", "'").split()))
