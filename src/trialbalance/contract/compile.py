"""Compile the contract: read the pinned official SDK with `ast` and write one file of facts.

Nothing of the SDK is imported. The facts file lists every endpoint (method, path, parameters, returned
object) and every object (fields, nullability, expandable targets), one per line and sorted, so that a
change of the pinned SDK shows as a readable diff.

Type notation, for parameters and for fields alike (JSON):

* a string names a scalar: `str`, `int`, `float`, `bool`, `decimal`, `any`, `file`, `timestamp`;
* `{"enum": [...]}` a closed set of words, with `"open": true` where the API may add more;
* `{"array": T}`, `{"map": T}` (string keys), `{"union": [T, ...]}`;
* `{"hash": {name: T}, "required": [...]}` a parameter hash, `{"object": {name: T}}` an embedded object;
* `{"ref": "charge"}` an API object in full, `{"id": "charge"}` its id that `expand[]` turns into the object;
* `{"list": T}` a list object with `data`, `has_more` and `url`;
* `{"null": T}` may be null (a field) or `{"empty": T}` may be emptied with "" (a parameter).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

Type = Any
"""A type in the notation above: JSON data."""

SCALARS = {
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "Decimal": "decimal",
    "Any": "any",
    "object": "any",
    "IO": "file",
}


class CompileError(Exception):
    """The SDK has a form that the compiler does not know; the message names the file and the form."""


class Module(NamedTuple):
    """One parsed file of the SDK with what its names mean."""

    path: Path
    tree: ast.Module
    imports: dict[str, tuple[str, str]]
    classes: dict[str, ast.ClassDef]


class Sdk:
    """The SDK's source tree, parsed lazily."""

    def __init__(self, root: Path) -> None:
        if not (root / "_version.py").is_file():
            raise CompileError(f"{root} is not the stripe package: _version.py is missing")
        self.root = root

    @property
    def version(self) -> str:
        """The SDK's version, such as `16.1.0`."""
        return self._constant("_version.py", "VERSION")

    @property
    def api_version(self) -> str:
        """The API version the SDK is pinned to, such as `2026-10-28.endive`."""
        return self._constant("_api_version.py", "CURRENT")

    def _constant(self, file: str, name: str) -> str:
        for node in ast.walk(ast.parse((self.root / file).read_text())):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and target.id == name and isinstance(value, ast.Constant):
                return str(value.value)
        raise CompileError(f"{file}: no constant {name}")

    @cache  # noqa: B019 - one Sdk lives as long as one compilation
    def module(self, dotted: str) -> Module:
        """The module `stripe.a._b`, parsed."""
        path = self.root.joinpath(*dotted.split(".")[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        tree = ast.parse(path.read_text())
        imports: dict[str, tuple[str, str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("stripe"):
                for name in node.names:
                    imports[name.asname or name.name] = (node.module, name.name)
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        return Module(path, tree, imports, classes)

    def modules(self) -> Iterator[str]:
        """Every module of the package that describes the API, sorted."""
        for path in sorted(self.root.rglob("*.py")):
            if path.name.startswith("_") and path.name != "__init__.py" and "params" not in path.parts:
                yield ".".join(("stripe", *path.relative_to(self.root).with_suffix("").parts))

    def resolve(self, module: Module, name: str) -> tuple[Module, ast.ClassDef] | None:
        """The class that `name` means in `module`, following its imports."""
        if name in module.classes:
            return module, module.classes[name]
        if name in module.imports:
            source, original = module.imports[name]
            home = self.module(source)
            return self.resolve(home, original) if home is not module else None
        return None


def annotation(node: ast.expr) -> ast.expr:
    """The annotation with quoted parts parsed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ast.parse(node.value.replace("\n", " ").strip(), mode="eval").body
    return node


def literal_values(node: ast.expr) -> list[Any]:
    """The values of a `Literal[...]`."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return [item.value for item in items if isinstance(item, ast.Constant)]


def union(types: list[Type]) -> Type:
    """Join the branches of a union, folding enums, open enums and emptiable types."""
    flat: list[Type] = []
    empty = False
    for item in types:
        if isinstance(item, dict) and "empty" in item:
            empty, item = True, item["empty"]
        flat.extend(item["union"] if isinstance(item, dict) and "union" in item else [item])
    empty = empty or any(isinstance(t, dict) and t.get("enum") == [""] for t in flat)
    flat = [t for t in flat if not (isinstance(t, dict) and t.get("enum") == [""])]
    enums = [t for t in flat if isinstance(t, dict) and "enum" in t]
    if enums and "str" in flat:
        flat = [t for t in flat if t != "str" and t not in enums]
        flat.insert(0, {"enum": sorted({v for e in enums for v in e["enum"]}), "open": True})
    unique: list[Type] = []
    for item in flat:
        if item not in unique:
            unique.append(item)
    joined: Type = unique[0] if len(unique) == 1 else {"union": unique}
    return {"empty": joined} if empty else joined


class ParameterTypes:
    """Turns a TypedDict of `stripe.params` into a parameter tree."""

    def __init__(self, sdk: Sdk) -> None:
        self.sdk = sdk

    def hash(self, module: Module, node: ast.ClassDef, *, top: bool = False) -> Type:
        """The `hash` type of a TypedDict class, or of the alternative syntax for reserved words."""
        fields: dict[str, Type] = {}
        required: list[str] = []
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id not in ("TypedDict", "RequestOptions"):
                found = self.sdk.resolve(module, base.id)
                functional = self.functional(module, base.id) if found is None else None
                parent = self.hash(*found) if found else functional
                if parent is None:
                    raise CompileError(f"{module.path}: unknown base {base.id} of {node.name}")
                fields |= parent["hash"]
                required += parent.get("required", [])
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                self._field(module, item.target.id, item.annotation, fields, required)
        result: dict[str, Type] = {"hash": dict(sorted(fields.items()))}
        if required:
            result["required"] = sorted(set(required))
        return result

    def functional(self, module: Module, name: str) -> Type | None:
        """`Name = TypedDict("Name", {"from": ...})`: used where a key is a reserved word."""
        for item in module.tree.body:
            if (
                isinstance(item, ast.Assign)
                and isinstance(item.targets[0], ast.Name)
                and item.targets[0].id == name
                and isinstance(item.value, ast.Call)
                and isinstance(item.value.args[1], ast.Dict)
            ):
                fields: dict[str, Type] = {}
                required: list[str] = []
                table = item.value.args[1]
                for key, value in zip(table.keys, table.values, strict=True):
                    assert isinstance(key, ast.Constant)
                    self._field(module, str(key.value), value, fields, required)
                result: dict[str, Type] = {"hash": dict(sorted(fields.items()))}
                if required:
                    result["required"] = sorted(required)
                return result
        return None

    def _field(
        self, module: Module, name: str, node: ast.expr, fields: dict[str, Type], required: list[str]
    ) -> None:
        node = annotation(node)
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == "NotRequired"
        ):
            node = annotation(node.slice)
        else:
            required.append(name)
        fields[name] = self.type(module, node)

    def type(self, module: Module, node: ast.expr) -> Type:
        """The type of an annotation."""
        node = annotation(node)
        match node:
            case ast.BinOp(left=left, right=right, op=ast.BitOr()):
                return union([self.type(module, left), self.type(module, right)])
            case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=items)):
                return union([self.type(module, item) for item in items])
            case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
                return {"empty": self.type(module, inner)}
            case ast.Subscript(value=ast.Name(id="Literal"), slice=values):
                return {"enum": literal_values(values)}
            case ast.Subscript(value=ast.Name(id=("List" | "Sequence")), slice=inner):
                return {"array": self.type(module, inner)}
            case ast.Subscript(value=ast.Name(id="Dict"), slice=ast.Tuple(elts=[_, inner])):
                return {"map": self.type(module, inner)}
            case ast.Subscript(value=ast.Name(id="UntypedStripeObject"), slice=inner):
                return {"map": self.type(module, inner)}
            case ast.Subscript(value=ast.Name(id="IO")):
                return "file"
            case ast.Name(id=name) if name in SCALARS:
                return SCALARS[name]
            case ast.Name(id=name):
                found = self.sdk.resolve(module, name)
                if found:
                    return self.hash(*found)
                functional = self.functional(module, name)
                if functional is not None:
                    return functional
        raise CompileError(f"{module.path}: unknown parameter type {ast.unparse(node)}")


class FieldTypes:
    """Turns a resource class into its fields."""

    def __init__(self, sdk: Sdk) -> None:
        self.sdk = sdk

    def object_name(self, node: ast.ClassDef) -> str | None:
        """The class's `OBJECT_NAME`, if it is an API object of its own."""
        for item in node.body:
            if (
                isinstance(item, ast.AnnAssign)
                and isinstance(item.target, ast.Name)
                and item.target.id == "OBJECT_NAME"
                and isinstance(item.value, ast.Constant)
            ):
                return str(item.value.value)
        return None

    def fields(self, module: Module, node: ast.ClassDef, scope: tuple[ast.ClassDef, ...]) -> dict[str, Type]:
        """The annotated fields of a class; nested classes are looked up from the inside out."""
        names = dict(self._renamed(node))
        result: dict[str, Type] = {}
        for item in node.body:
            if (
                isinstance(item, ast.AnnAssign)
                and isinstance(item.target, ast.Name)
                and item.target.id not in ("OBJECT_NAME",)
                and not item.target.id.startswith("_")
            ):
                name = names.get(item.target.id, item.target.id)
                result[name] = self.type(module, annotation(item.annotation), (*scope, node))
        return dict(sorted(result.items()))

    def _renamed(self, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
        for item in node.body:
            target = getattr(item, "target", None) or (
                item.targets[0] if isinstance(item, ast.Assign) else None
            )
            value = getattr(item, "value", None)
            if (
                isinstance(target, ast.Name)
                and target.id == "_field_remappings"
                and isinstance(value, ast.Dict)
            ):
                for key, new in zip(value.keys, value.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(new, ast.Constant):
                        yield str(key.value), str(new.value)

    def type(self, module: Module, node: ast.expr, scope: tuple[ast.ClassDef, ...]) -> Type:
        """The type of a field's annotation."""
        node = annotation(node)
        match node:
            case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
                return {"null": self.type(module, inner, scope)}
            case ast.Subscript(value=ast.Name(id="ExpandableField"), slice=inner):
                target = self.type(module, inner, scope)
                options = target["union"] if isinstance(target, dict) and "union" in target else [target]
                names = sorted({t["ref"] for t in options if isinstance(t, dict) and "ref" in t})
                return {"id": names[0]} if len(names) == 1 else {"id": names}
            case ast.Subscript(value=ast.Name(id=("Union")), slice=ast.Tuple(elts=items)):
                return union([self.type(module, item, scope) for item in items])
            case ast.BinOp(left=left, right=right, op=ast.BitOr()):
                return union([self.type(module, left, scope), self.type(module, right, scope)])
            case ast.Subscript(value=ast.Name(id="Literal"), slice=values):
                return {"enum": literal_values(values)}
            case ast.Subscript(value=ast.Name(id="List"), slice=inner):
                return {"array": self.type(module, inner, scope)}
            case ast.Subscript(value=ast.Name(id="ListObject"), slice=inner):
                return {"list": self.type(module, inner, scope)}
            case ast.Subscript(value=ast.Name(id="UntypedStripeObject"), slice=inner):
                return {"map": self.type(module, inner, scope)}
            case ast.Subscript(value=ast.Name(id="Dict"), slice=ast.Tuple(elts=[_, inner])):
                return {"map": self.type(module, inner, scope)}
            case ast.Name(id=name) if name in SCALARS:
                return SCALARS[name]
            case ast.Name(id="datetime"):
                return "timestamp"
            case ast.Name(id="StripeObject"):
                return "any"
            case ast.Name(id=name):
                return self._named(module, name, scope)
            case ast.Attribute():
                return self._dotted(module, ast.unparse(node), scope)
        raise CompileError(f"{module.path}: unknown field type {ast.unparse(node)}")

    def _named(self, module: Module, name: str, scope: tuple[ast.ClassDef, ...]) -> Type:
        for depth in range(len(scope) - 1, -1, -1):
            for item in scope[depth].body:
                if isinstance(item, ast.ClassDef) and item.name == name:
                    return {"object": self.fields(module, item, scope[: depth + 1])}
        found = self.sdk.resolve(module, name)
        if not found:
            raise CompileError(f"{module.path}: unknown class {name}")
        home, node = found
        known = self.object_name(node)
        return {"ref": known} if known else {"object": self.fields(home, node, ())}

    def _dotted(self, module: Module, dotted: str, scope: tuple[ast.ClassDef, ...]) -> Type:
        first, *rest = dotted.split(".")
        found = self.sdk.resolve(module, first)
        if not found:
            raise CompileError(f"{module.path}: unknown class {dotted}")
        home, node = found
        trail: tuple[ast.ClassDef, ...] = ()
        for name in rest:
            trail = (*trail, node)
            node = next(n for n in node.body if isinstance(n, ast.ClassDef) and n.name == name)
        known = self.object_name(node)
        return {"ref": known} if known else {"object": self.fields(home, node, trail)}


def endpoints(sdk: Sdk) -> Iterator[dict[str, Any]]:
    """Every endpoint that a service class of the SDK calls."""
    parameters = ParameterTypes(sdk)
    for dotted in sdk.modules():
        if not dotted.endswith("_service"):
            continue
        module = sdk.module(dotted)
        for service in module.classes.values():
            for method in service.body:
                if isinstance(method, ast.FunctionDef):
                    found = _endpoint(module, method, parameters, sdk)
                    if found:
                        yield found


def _endpoint(
    module: Module, method: ast.FunctionDef, parameters: ParameterTypes, sdk: Sdk
) -> dict[str, Any] | None:
    call = next(
        (
            node
            for node in ast.walk(method)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("_request", "_request_stream")
        ),
        None,
    )
    if call is None:
        return None
    verb, path = call.args[0], call.args[1]
    if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute):
        path = path.func.value
    assert isinstance(verb, ast.Constant) and isinstance(path, ast.Constant), ast.unparse(call)
    fact: dict[str, Any] = {"method": str(verb.value).upper(), "path": str(path.value)}
    base = next((k.value for k in call.keywords if k.arg == "base_address"), None)
    if isinstance(base, ast.Constant) and base.value != "api":
        fact["base"] = base.value
    fact["params"] = {"hash": {}}
    for argument in (*method.args.args, *method.args.kwonlyargs):
        if argument.arg == "params" and argument.annotation is not None:
            node = annotation(argument.annotation)
            if isinstance(node, ast.Subscript):
                node = annotation(node.slice)
            assert isinstance(node, ast.Name), ast.unparse(node)
            found = sdk.resolve(module, node.id)
            tree = (
                parameters.hash(*found)
                if found
                else parameters.functional(sdk.module(module.imports[node.id][0]), node.id)
            )
            if tree is None:
                raise CompileError(f"{module.path}: no parameters {node.id}")
            fact["params"] = tree
    if method.returns is not None:
        fact["returns"] = _returned(annotation(method.returns), module, sdk)
    return fact


def _returned(node: ast.expr, module: Module, sdk: Sdk) -> Type:
    kinds = {"ListObject": "list", "SearchResultObject": "search", "StripeStreamResponse": "stream"}
    fields = FieldTypes(sdk)
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in kinds:
            return {kinds[name]: _returned(annotation(inner), module, sdk)}
        case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=items)):
            return {"union": [_returned(annotation(item), module, sdk) for item in items]}
        case ast.BinOp(left=left, right=right):
            return {
                "union": [_returned(annotation(left), module, sdk), _returned(annotation(right), module, sdk)]
            }
        case ast.Constant(value=None):
            return "none"
        case ast.Name(id="Any"):
            return "any"
        case ast.Name(id=name) if name in kinds:
            return kinds[name]
        case _:
            return fields.type(module, node, ())


def objects(sdk: Sdk) -> Iterator[dict[str, Any]]:
    """Every API object with its fields."""
    fields = FieldTypes(sdk)
    for dotted in sdk.modules():
        module = sdk.module(dotted)
        for node in module.classes.values():
            name = fields.object_name(node)
            if name:
                yield {"object": name, "fields": fields.fields(module, node, ())}


def compile_contract(root: Path) -> str:
    """The facts file's text for the SDK at `root`: JSON with one endpoint or object per line."""
    sdk = Sdk(root)
    rows = {(e["path"], e["method"]): e for e in endpoints(sdk)}
    found: dict[str, dict[str, Any]] = {}
    for item in objects(sdk):
        if item["object"] not in found or len(item["fields"]) > len(found[item["object"]]["fields"]):
            found[item["object"]] = item
    lines = [
        "{",
        f'"sdk": {json.dumps(sdk.version)},',
        f'"api_version": {json.dumps(sdk.api_version)},',
        '"endpoints": [',
        ",\n".join(_line(rows[key]) for key in sorted(rows)),
        "],",
        '"objects": [',
        ",\n".join(_line(found[key]) for key in sorted(found)),
        "]",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _line(fact: dict[str, Any]) -> str:
    return json.dumps(fact, separators=(",", ":"), ensure_ascii=False)
