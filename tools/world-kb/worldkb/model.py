"""The KB while it is being built: entities, facts, and the literals of the KB-lines format."""

import json

from .text import decimal_text


def quantity(value, unit=None):
    """A quantity literal; `value` may be text, int, float or Decimal."""
    return [decimal_text(value)] if unit is None else [decimal_text(value), unit]


def year(value):
    return {"year": int(value)}


def boolean(value):
    return {"bool": bool(value)}


def ref(entity_id):
    """An entity as the value of a qualifier."""
    return {"id": entity_id}


def key(value):
    """A hashable, sortable form of any JSON value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def backwards(quals):
    """Whether the end of an interval is before its start, as far as the times can be compared."""
    start, end = ([str(part) for value in quals.get(name, []) for part in value.values()] for name in ("start_time", "end_time"))
    return bool(start and end) and any(e[:len(s)] < s[:len(e)] for s in start for e in end)


class Entity:
    __slots__ = ("id", "label", "aliases", "description", "classes", "relations", "attributes", "_seen")

    def __init__(self, entity_id, label):
        self.id = entity_id
        self.label = label
        self.aliases = []
        self.description = ""
        self.classes = []
        self.relations = []
        self.attributes = []
        self._seen = set()


class KB:
    """Entities by id, with their facts. Adding the same fact twice keeps the first."""

    def __init__(self):
        self.entities = {}
        self.sources = []

    def source(self, text):
        """Position of a source in the header's list."""
        if text not in self.sources:
            self.sources.append(text)
        return self.sources.index(text)

    def entity(self, entity_id, label, *classes, aliases=(), description=None):
        found = self.entities.get(entity_id)
        if found is None:
            label = " ".join(label.split())
            found = self.entities[entity_id] = Entity(entity_id, label)
        for cls in classes:
            if cls not in found.classes:
                found.classes.append(cls)
        for alias in aliases:
            self.alias(entity_id, alias)
        if description and not found.description:
            found.description = description
        return entity_id

    def alias(self, entity_id, alias):
        found = self.entities[entity_id]
        alias = " ".join((alias or "").split())
        if alias and alias != found.label and alias not in found.aliases:
            found.aliases.append(alias)

    def __contains__(self, entity_id):
        return entity_id in self.entities

    def label(self, entity_id):
        return self.entities[entity_id].label

    def rel(self, subject, relation, value, source, qualifiers=None):
        self._add(subject, "relations", relation, value, source, qualifiers)

    def attr(self, subject, attribute, literal, source, qualifiers=None):
        self._add(subject, "attributes", attribute, literal, source, qualifiers)

    def _add(self, subject, kind, prop, value, source, qualifiers):
        entity = self.entities[subject]
        quals = {}
        for name, given in sorted((qualifiers or {}).items()):
            if given is not None:
                quals[name] = given if isinstance(given, list) and given and isinstance(given[0], (dict, list)) else [given]
        if backwards(quals):
            del quals["start_time"], quals["end_time"]      # an error of the source; without an end alone it would seem to last
        mark = (prop, key(value), key(quals))
        if mark in entity._seen:
            return
        entity._seen.add(mark)
        getattr(entity, kind).append((prop, value, quals, source))
