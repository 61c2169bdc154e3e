"""The documentation that the pinned official SDK carries in its docstrings, read with `ast` only.

Nothing of the SDK is imported. Its generated sources describe every endpoint, every parameter, every object
and every field in the words of Stripe's own API reference.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trialbalance.contract.compile import FieldTypes, Module, Sdk, annotation, literal_values
from trialbalance.tools.documentation.entry import Entry

_DEEPEST = 6
_METHODS = (("stripe._webhook", "Webhook"), ("stripe._stripe_client", "StripeClient"))
_SCALARS = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "Decimal": "decimal string",
}
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")


def entries(root: Path) -> Iterator[Entry]:
    """Everything documented in the SDK at `root` (the folder of the package `stripe`)."""
    sdk = Sdk(root)
    seen: set[str] = set()
    for entry in _all(sdk):
        if entry.id not in seen:
            seen.add(entry.id)
            yield entry


def _all(sdk: Sdk) -> Iterator[Entry]:
    for dotted, name in _METHODS:
        yield from _methods(sdk.module(dotted).classes[name])
    error = sdk.module("stripe._error_object").classes["ErrorObject"]
    yield Entry("error", "object", "error", "", "", "What a failed request answers under the key `error`.")
    yield from _fields(error, "error", (), 1)
    fields = FieldTypes(sdk)
    for dotted in sdk.modules():
        module = sdk.module(dotted)
        for node in module.classes.values():
            if dotted.endswith("_service"):
                yield from _endpoints(sdk, module, node)
            elif kind := fields.object_name(node):
                yield Entry(kind, "object", kind, "", "", _clean(ast.get_docstring(node) or ""))
                yield from _fields(node, kind, (), 1)
                if kind == "event":
                    yield from _events(node)


def _methods(node: ast.ClassDef) -> Iterator[Entry]:
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
            text = _clean(ast.get_docstring(method) or "")
            if text:
                name = f"{node.name}.{method.name}"
                arguments = ", ".join(argument.arg for argument in method.args.args if argument.arg != "self")
                yield Entry(name, "method", name, "", f"stripe-python: {name}({arguments})", text)


class _Documented(NamedTuple):
    """An annotated name with the string below it."""

    name: str
    annotation: ast.expr
    text: str


def _documented(node: ast.ClassDef) -> Iterator[_Documented]:
    for item, after in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        if item.target.id.startswith("_") or item.target.id == "OBJECT_NAME":
            continue
        text = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            text = _clean(inspect.cleandoc(str(after.value.value)))
        yield _Documented(item.target.id, annotation(item.annotation), text)


def _clean(text: str) -> str:
    """Links keep their words and lose their addresses, which cannot be reached here."""
    return _LINK.sub(r"\1", text).strip()


def _endpoints(sdk: Sdk, module: Module, service: ast.ClassDef) -> Iterator[Entry]:
    for method in service.body:
        if not isinstance(method, ast.FunctionDef):
            continue
        called = _called(method)
        if called is None:
            continue
        text = _clean(ast.get_docstring(method) or "")
        yield Entry(called, "endpoint", called, "", f"{service.name}.{method.name}", text)
        for argument in (*method.args.args, *method.args.kwonlyargs):
            if argument.arg == "params" and argument.annotation is not None:
                yield from _parameters(sdk, module, argument.annotation, called)


def _called(method: ast.FunctionDef) -> str | None:
    """`POST /v1/coupons`, out of the request that the method makes."""
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "_request"
        ):
            verb, path = node.args[0], node.args[1]
            if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute):
                path = path.func.value
            if isinstance(verb, ast.Constant) and isinstance(path, ast.Constant):
                return f"{str(verb.value).upper()} {path.value!s}"
    return None


def _parameters(sdk: Sdk, module: Module, node: ast.expr, endpoint: str) -> Iterator[Entry]:
    for nested in _names(node):
        found = sdk.resolve(module, nested)
        if found is not None:
            yield from _hash(sdk, *found, endpoint, "", 1)


def _hash(
    sdk: Sdk, module: Module, node: ast.ClassDef, endpoint: str, prefix: str, depth: int
) -> Iterator[Entry]:
    parent = f"{endpoint}#{prefix}" if prefix else endpoint
    for item in _documented(node):
        name = f"{prefix}[{item.name}]" if prefix else item.name
        required = not (
            isinstance(item.annotation, ast.Subscript) and _name(item.annotation.value) == "NotRequired"
        )
        kind = describe(item.annotation) + (", required" if required else "")
        yield Entry(f"{endpoint}#{name}", "parameter", name, parent, kind, item.text)
        if depth < _DEEPEST:
            for nested in _names(item.annotation):
                found = sdk.resolve(module, nested)
                if found is not None:
                    yield from _hash(sdk, *found, endpoint, name, depth + 1)


def _fields(node: ast.ClassDef, path: str, scope: tuple[ast.ClassDef, ...], depth: int) -> Iterator[Entry]:
    scope = (*scope, node)
    for item in _documented(node):
        here = f"{path}.{item.name}"
        insides = {nested: _inside(scope, nested) for nested in _names(item.annotation)}
        kind = describe(item.annotation)
        for nested, inner in insides.items():
            if inner is not None:
                kind = re.sub(rf"\b{nested}\b", "hash", kind)
        yield Entry(here, "field", here, path, kind, item.text)
        for inner in insides.values():
            if inner is not None and depth < _DEEPEST:
                yield from _fields(inner[-1], here, inner[:-1], depth + 1)


def _inside(scope: tuple[ast.ClassDef, ...], name: str) -> tuple[ast.ClassDef, ...] | None:
    """The nested class of that name, looked up from the inside out, with the classes around it."""
    for depth in range(len(scope), 0, -1):
        for item in scope[depth - 1].body:
            if isinstance(item, ast.ClassDef) and item.name == name:
                return (*scope[:depth], item)
    return None


def _events(node: ast.ClassDef) -> Iterator[Entry]:
    for item in _documented(node):
        if item.name != "type":
            continue
        for part in ast.walk(item.annotation):
            if isinstance(part, ast.Subscript) and _name(part.value) == "Literal":
                for value in literal_values(part.slice):
                    name = str(value)
                    text = f"Event type {name}: what an Event's `type` and a webhook endpoint's `enabled_events` say."
                    yield Entry(f"event {name}", "event", name, "", "", text)


def describe(node: ast.expr) -> str:
    """A type in words: `string`, `array of hash`, `one of: forever, once`."""
    node = annotation(node)
    match node:
        case ast.Subscript(
            value=ast.Name(id=("NotRequired" | "Optional" | "ExpandableField" as wrapper)), slice=inner
        ):
            said = describe(inner)
            return {"NotRequired": said, "Optional": f"{said} or null"}.get(wrapper, f"{said} (expandable)")
        case ast.Subscript(value=ast.Name(id="Literal"), slice=values):
            words = [
                str(value).lower() if isinstance(value, bool) else str(value)
                for value in literal_values(values)
            ]
            words = [word or '""' for word in words]
            return f"one of: {', '.join(words)}" if words != ['""'] else '""'
        case ast.Subscript(value=ast.Name(id=("List" | "ListObject")), slice=inner):
            return f"array of {describe(inner)}"
        case ast.Subscript(value=ast.Name(id=("Dict" | "UntypedStripeObject"))):
            return "map"
        case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=items)):
            return _either(items)
        case ast.BinOp(left=left, right=right, op=ast.BitOr()):
            return _either([left, right])
        case ast.Name(id=name):
            return _SCALARS.get(name, "file" if name == "IO" else _object(name))
        case ast.Attribute(attr=name):
            return _object(name)
    return "value"


def _object(name: str) -> str:
    return "hash" if "Params" in name else name


def _either(items: list[ast.expr]) -> str:
    said = [one for item in items for one in describe(item).split(" or ")]
    if any(one.startswith("one of: ") for one in said):
        said = [one for one in said if one != "string"]  # an open enumeration is `Literal[...]|str`
    return " or ".join(dict.fromkeys(said))


def _names(node: ast.expr) -> list[str]:
    """Every class that an annotation mentions."""
    found: list[str] = []
    for part in ast.walk(annotation(node)):
        if isinstance(part, ast.Name):
            found.append(part.id)
        elif isinstance(part, ast.Attribute):
            found.append(part.attr)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part is not node:
            found += _quoted(part.value)
    return [name for name in dict.fromkeys(found) if name not in _SCALARS and name[:1].isupper()]


def _quoted(text: str) -> list[str]:
    try:
        parsed = ast.parse(text.replace("\n", " ").strip(), mode="eval").body
    except SyntaxError:
        return []
    return _names(parsed) if not isinstance(parsed, ast.Constant) else []


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
