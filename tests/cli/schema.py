#!/usr/bin/env python3
"""schema.py SCHEMA FILE... - checks records against docs/result.schema.json.

Python's own library has no validator; this one knows the words that the schema uses and refuses any other, so that a
rule cannot be written and silently not be checked. Where the package jsonschema is installed it must agree.
A FILE is a record, an object with `runs`, an array of exported rows or of records.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "$ref", "$defs", "title", "description", "type", "required", "properties", "items", "enum",
         "additionalProperties", "minimum", "pattern", "minItems", "maxItems"}


def is_a(value, kind):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


def errors(value, rule, root, at="record"):
    unknown = set(rule) - KNOWN
    assert not unknown, "the schema uses %s, which is not checked here" % unknown
    if "$ref" in rule:
        target = root
        for part in rule["$ref"].lstrip("#/").split("/"):
            target = target[part]
        yield from errors(value, target, root, at)
    kinds = rule.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, k) for k in kinds):
        yield "%s is no %s: %.60r" % (at, " or ".join(kinds), value)
        return
    if "enum" in rule and value not in rule["enum"]:
        yield "%s is none of %s: %r" % (at, rule["enum"], value)
    if "minimum" in rule and is_a(value, "number") and value < rule["minimum"]:
        yield "%s is less than %s: %r" % (at, rule["minimum"], value)
    if "pattern" in rule and isinstance(value, str) and not re.search(rule["pattern"], value):
        yield "%s does not look like %s: %r" % (at, rule["pattern"], value)
    if isinstance(value, dict):
        yield from object_errors(value, rule, root, at)
    if isinstance(value, list):
        if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
            yield "%s has %d items" % (at, len(value))
        for i, item in enumerate(value):
            yield from errors(item, rule.get("items", {}), root, "%s[%d]" % (at, i))


def object_errors(value, rule, root, at):
    for name in rule.get("required", []):
        if name not in value:
            yield "%s has no '%s'" % (at, name)
    others = rule.get("additionalProperties", {})
    for name, member in value.items():
        below = rule.get("properties", {}).get(name, others)
        if below is False:
            yield "%s has '%s', which the schema does not know" % (at, name)
        elif below is not True:
            yield from errors(member, below, root, "%s.%s" % (at, name))


def records(document):
    if isinstance(document, list):
        return [row.get("result", row) for row in document if row.get("result", row)]  # store export, exec
    return document.get("runs", [document])


def main():
    root, bad, count = json.load(open(sys.argv[1])), 0, 0
    try:
        import jsonschema
        second = jsonschema.Draft202012Validator(root)
    except (ImportError, AttributeError):
        second = None
    for file in sys.argv[2:]:
        for record in records(json.load(open(file))):
            found = list(errors(record, root, root))
            count += 1
            if second and second.is_valid(record) != (not found):
                found.append("jsonschema and this validator disagree")
            for text in found:
                print("%s: %s" % (file, text))
            bad += len(found)
    if not count:
        print("no record was checked")
    sys.exit(1 if bad or not count else 0)


if __name__ == "__main__":
    main()
