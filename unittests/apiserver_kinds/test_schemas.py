"""Structural schemas: pruning, defaults, validation, rules, and which schemas are refused."""

import pytest

from lab.apiserver.custom.schemas.defaults import defaulted
from lab.apiserver.custom.schemas.pruning import pruned, unknown_fields
from lab.apiserver.custom.schemas.rules import broken_rules, has_rules
from lab.apiserver.custom.schemas.structure import problems
from lab.apiserver.custom.schemas.types import MISSING
from lab.apiserver.custom.schemas.validation import violations

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
IMMUTABLE = {**STRING, "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "Value is immutable"}]}


def obj(**properties):
    return {"type": "object", "properties": properties}


def bodies(schema, value, old=MISSING, path="spec"):
    return [f"{cause.field}: {cause.message}" for cause in violations(schema, value, path, old)]


def rules(schema, value, old=MISSING, path="spec"):
    return [f"{cause.field}: {cause.message}" for cause in broken_rules(schema, value, path, old)]


class TestPruning:
    def test_unknown_fields_go_and_are_named(self):
        schema = obj(spec=obj(a=STRING, xs={"type": "array", "items": obj(b=STRING)}))
        value = {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "x"}, "extra": 1,
                 "spec": {"a": "1", "foo": 2, "xs": [{"b": "1", "c": 2}]}}  # fmt: skip
        assert pruned(schema, value) == {
            "apiVersion": "g/v1", "kind": "K", "metadata": {"name": "x"}, "spec": {"a": "1", "xs": [{"b": "1"}]},
        }  # fmt: skip
        assert unknown_fields(schema, value) == ["extra", "spec.foo", "spec.xs[0].c"]

    def test_an_object_without_properties_loses_everything(self):
        assert pruned(obj(spec={"type": "object"}), {"spec": {"a": 1}}) == {"spec": {}}

    def test_preserved_fields_stay_but_known_ones_inside_are_pruned(self):
        schema = obj(spec={**obj(known=obj(a=STRING)), "x-kubernetes-preserve-unknown-fields": True})
        assert pruned(schema, {"spec": {"any": {"x": 1}, "known": {"a": "1", "b": 2}}}) == {
            "spec": {"any": {"x": 1}, "known": {"a": "1"}}
        }

    def test_maps_keep_their_keys(self):
        schema = obj(spec={"type": "object", "additionalProperties": obj(a=STRING)})
        assert unknown_fields(schema, {"spec": {"k": {"a": "1", "b": 2}}}) == ["spec.k.b"]

    def test_an_embedded_resource_keeps_its_envelope(self):
        schema = obj(template={**obj(spec=obj()), "x-kubernetes-embedded-resource": True})
        value = {"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {}}}
        assert pruned(schema, value) == value


class TestDefaults:
    def test_defaults_apply_through_empty_parents_in_lists_and_in_maps(self):
        part = obj(port={**INTEGER, "default": 80}, name=STRING)
        schema = obj(
            web={**part, "default": {}},
            absent=part,
            xs={"type": "array", "items": part},
            by={"type": "object", "additionalProperties": part},
        )
        assert defaulted(schema, {"xs": [{"name": "a"}], "by": {"k": {}}}) == {
            "web": {"port": 80}, "xs": [{"name": "a", "port": 80}], "by": {"k": {"port": 80}},
        }  # fmt: skip

    def test_null_becomes_the_default_goes_or_stays(self):
        schema = obj(
            a={"type": "array", "items": STRING, "default": []},
            b=STRING,
            c={**STRING, "nullable": True, "default": "x"},
        )
        assert defaulted(schema, {"a": None, "b": None, "c": None, "other": None}) == {
            "a": [], "c": None, "other": None,
        }  # fmt: skip


class TestValidation:
    @pytest.mark.parametrize(
        ("schema", "value", "expected"),
        [
            (INTEGER, "x", 'Invalid value: "string": spec in body must be of type integer: "string"'),
            (INTEGER, 1.5, 'Invalid value: "number": spec in body must be of type integer: "number"'),
            (INTEGER, True, 'Invalid value: "boolean": spec in body must be of type integer: "boolean"'),
            (STRING, None, 'Invalid value: "null": spec in body must be of type string: "null"'),
            ({**STRING, "enum": ["a", "b"]}, "c", 'Unsupported value: "c": supported values: "a", "b"'),
            ({**STRING, "pattern": "^[a-z]+$"}, "A", "Invalid value: \"A\": spec in body should match '^[a-z]+$'"),
            ({**STRING, "pattern": "^a$"}, "a\n", "Invalid value: \"a\\n\": spec in body should match '^a$'"),
            ({**STRING, "minLength": 1}, "", 'Invalid value: "": spec in body should be at least 1 chars long'),
            ({**STRING, "maxLength": 2}, "abc", "Too long: may not be more than 2 bytes"),
            ({**INTEGER, "minimum": 1}, 0, "Invalid value: 0: spec in body should be greater than or equal to 1"),
            (
                {"type": "number", "maximum": 1, "exclusiveMaximum": True},
                1.0,
                "Invalid value: 1.0: spec in body should be less than 1",
            ),
            ({**INTEGER, "multipleOf": 2}, 3, "Invalid value: 3: spec in body should be a multiple of 2"),
            (
                {**STRING, "format": "date-time"},
                "now",
                'Invalid value: "now": spec in body must be of type date-time: "now"',
            ),
            ({**STRING, "format": "uuid"}, "x", 'Invalid value: "x": spec in body must be of type uuid: "x"'),
            (
                {**INTEGER, "format": "int32"},
                2**31,
                "Invalid value: 2147483648: spec in body must be of type int32: 2147483648",
            ),
            (
                {"type": "array", "items": STRING, "minItems": 1},
                [],
                "Invalid value: 0: spec in body should have at least 1 items",
            ),
            ({"type": "array", "items": STRING, "maxItems": 1}, ["a", "b"], "Too many: 2: must have at most 1 items"),
            (
                {"x-kubernetes-int-or-string": True},
                1.5,
                'Invalid value: "number": spec in body must be of type integer,string: "number"',
            ),
        ],
    )
    def test_one_violation(self, schema, value, expected):
        assert bodies(schema, value) == [f"spec: {expected}"]

    @pytest.mark.parametrize(
        ("schema", "value"),
        [
            (INTEGER, 1),
            (INTEGER, 1.0),
            ({"type": "number"}, 1),
            ({**STRING, "nullable": True}, None),
            ({**STRING, "pattern": "b"}, "abc"),
            ({**STRING, "format": "unheard-of"}, "x"),
            ({**STRING, "format": "date-time"}, "2026-01-01T00:00:00.5Z"),
            ({**STRING, "format": "ipv4"}, "10.0.0.1"),
            ({**STRING, "format": "duration"}, "1h"),
            ({**STRING, "format": "byte"}, "YQ=="),
            ({"x-kubernetes-int-or-string": True}, "25%"),
            ({"x-kubernetes-int-or-string": True}, 3),
        ],
    )
    def test_nothing_wrong(self, schema, value):
        assert bodies(schema, value) == []

    def test_members_are_named_by_their_path(self):
        schema = {
            **obj(xs={"type": "array", "items": obj(n={**STRING, "minLength": 1})}, m={
                "type": "object", "additionalProperties": INTEGER}), "required": ["xs", "gone"],
        }  # fmt: skip
        assert bodies(schema, {"xs": [{"n": ""}], "m": {"k": "v"}}) == [
            "spec.gone: Required value",
            'spec.xs[0].n: Invalid value: "": spec.xs[0].n in body should be at least 1 chars long',
            'spec.m.k: Invalid value: "string": spec.m.k in body must be of type integer: "string"',
        ]

    def test_sets_and_map_lists_have_no_doubles(self):
        named = obj(name=STRING, value=STRING)
        as_map = {"type": "array", "items": named, "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["name"]}  # fmt: skip
        assert bodies(as_map, [{"name": "a"}, {"name": "b"}, {"name": "a", "value": "1"}]) == [
            'spec[2]: Duplicate value: {"name":"a"}'
        ]
        as_set = {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}
        assert bodies(as_set, ["a", "b", "a"]) == ['spec[2]: Duplicate value: "a"']

    def test_combinations(self):
        either = {
            "type": "object",
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            "properties": {"a": STRING, "b": STRING},
        }
        text = 'spec: Invalid value: "": "spec" must validate one and only one schema (oneOf). '
        assert bodies(either, {})[0] == f"{text}Found none valid"
        assert bodies(either, {"a": "1", "b": "2"}) == [f"{text}Found 2 valid alternatives"]
        assert bodies(either, {"a": "1"}) == []
        some = {**STRING, "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}
        assert bodies(some, "c")[0] == 'spec: Invalid value: "": "spec" must validate at least one schema (anyOf)'
        every = {**STRING, "allOf": [{"minLength": 2}]}
        assert bodies(every, "c")[-1] == 'spec: Invalid value: "": "spec" must validate all the schemas (allOf)'
        nothing = {**STRING, "not": {"enum": ["c"]}}
        assert bodies(nothing, "c") == ['spec: Invalid value: "": "spec" must not validate the schema (not)']

    def test_what_did_not_change_is_not_judged_again(self):
        schema = obj(a={**STRING, "minLength": 5}, b={**STRING, "minLength": 5})
        assert bodies(schema, {"a": "x", "b": "y"}, {"a": "x", "b": "z"}) == [
            'spec.b: Invalid value: "y": spec.b in body should be at least 5 chars long'
        ]


class TestRules:
    def test_a_rule_on_the_old_value_runs_on_change_only(self):
        assert rules(IMMUTABLE, "h1") == []
        assert rules(IMMUTABLE, "h1", "h1") == []
        assert rules(IMMUTABLE, "h2", "h1") == ['spec: Invalid value: "h2": Value is immutable']

    def test_objects_are_not_printed_and_map_entries_are_keyed(self):
        ratio = {"type": "object", "additionalProperties": {"type": "number"}, "x-kubernetes-validations": [
            {"rule": "self.all(k, self[k] >= 1.0)", "message": "overcommit ratios must be >= 1.0"}]}  # fmt: skip
        assert rules(ratio, {"cpu": 1, "memory": 1.5}) == []
        assert rules(ratio, {"cpu": 0.5}) == ["spec: Invalid value: overcommit ratios must be >= 1.0"]
        positive = {"type": "object", "additionalProperties": {**INTEGER, "x-kubernetes-validations": [
            {"rule": "self > 0"}]}}  # fmt: skip
        assert rules(positive, {"k": 0}) == ["spec[k]: Invalid value: 0: failed rule: self > 0"]

    def test_elements_of_map_lists_meet_their_old_selves(self):
        schema = {"type": "array", "items": obj(name=STRING, value=IMMUTABLE)}
        keyed = {**schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
        old, new = [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}], [{"name": "b", "value": "3"}]
        assert rules(keyed, new, old) == ['spec[0].value: Invalid value: "3": Value is immutable']
        assert rules(schema, new, old) == []

    def test_message_expressions_reasons_and_errors(self):
        schema = {**INTEGER, "x-kubernetes-validations": [
            {"rule": "self < 3", "messageExpression": "'got ' + string(self)", "reason": "FieldValueForbidden"},
            {"rule": "[1][self] == 1", "message": "must be zero"}]}  # fmt: skip
        assert rules(schema, 5) == [
            "spec: Forbidden: got 5",
            "spec: Invalid value: 5: index out of bounds: 5 evaluating rule: must be zero",
        ]

    def test_formatted_strings_are_times(self):
        stamp = {**STRING, "format": "date-time"}
        rule = {"rule": "self.a < self.b", "message": "a before b"}
        schema = {**obj(a=stamp, b=stamp), "x-kubernetes-validations": [rule]}
        assert rules(schema, {"a": "2026-01-01T00:00:00Z", "b": "2026-01-01T00:00:00+01:00"}) != []

    def test_what_did_not_change_is_not_judged_again(self):
        rule = {**STRING, "x-kubernetes-validations": [{"rule": "self != 'x'"}]}
        assert rules(rule, "x", "x") == []
        assert rules(rule, "x", "y") != []

    def test_the_root_sees_only_the_names_of_the_metadata(self):
        schema = {
            **obj(),
            "x-kubernetes-validations": [{"rule": "self.metadata.name == 'x' && !has(self.metadata.labels)"}],
        }
        assert rules(schema, {"metadata": {"name": "x", "labels": {}}}, path="") == []

    def test_schemas_with_rules_are_found(self):
        assert has_rules(obj(a={"type": "array", "items": IMMUTABLE}))
        assert not has_rules(obj(a=STRING))


class TestStructure:
    @pytest.mark.parametrize(
        ("schema", "expected"),
        [
            ({}, "s.type: Required value: must not be empty at the root"),
            (STRING, 's.type: Invalid value: "string": must be object at the root'),
            (obj(a={}), "s.properties[a].type: Required value: must not be empty for specified object fields"),
            (
                obj(a={"type": "array", "items": {}}),
                "s.properties[a].items.type: Required value: must not be empty for specified array items",
            ),
            (obj(a={"type": "array"}), "s.properties[a].items: Required value: must be specified"),
            (
                {**obj(a=STRING), "additionalProperties": STRING},
                "s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
            ),
            (obj(a={"type": "str"}), 's.properties[a].type: Unsupported value: "str": supported values: "array", '
                                     '"boolean", "integer", "number", "object", "string"'),
            (obj(a={**STRING, "$ref": "#/x"}), "s.properties[a].$ref: Forbidden: $ref is not supported"),
            (
                obj(a={**INTEGER, "default": "x"}),
                's.properties[a].default: Invalid value: "string": '
                's.properties[a].default in body must be of type integer: "string"',
            ),
            (
                obj(a={"type": "array", "items": obj(n=STRING), "x-kubernetes-list-type": "map",
                       "x-kubernetes-list-map-keys": ["n"]}),
                "s.properties[a].items.properties[n].default: Required value: "
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            ),
            (
                obj(a={**STRING, "x-kubernetes-validations": [{"rule": "isURL(self)"}]}),
                's.properties[a].x-kubernetes-validations[0].rule: Invalid value: "isURL(self)": '
                "compilation failed: ERROR: <input>:1:1: undeclared reference to 'isURL'",
            ),
        ],
    )  # fmt: skip
    def test_what_a_definition_may_not_contain(self, schema, expected):
        assert [f"{cause.field}: {cause.message}" for cause in problems(schema, "s")] == [expected]

    def test_a_root_that_preserves_everything_needs_no_type(self):
        assert list(problems({"x-kubernetes-preserve-unknown-fields": True}, "s")) == []
