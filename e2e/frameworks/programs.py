"""What the checks of frameworks that are configured by a program in Python share."""

import ast


def altered(tree, item, name=str):
    """The program with the item's changes to its calls' keywords, each named as CALL.KEYWORD; `name` says how a call is told."""
    changes, gone = dict(item.get("set", {})), set(item.get("unset", []))
    more = [word.split("=", 1) for word in item.get("add", [])]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        own = name(ast.unparse(node.func))
        node.keywords = [keyword for keyword in node.keywords if f"{own}.{keyword.arg}" not in gone or gone.remove(f"{own}.{keyword.arg}")]
        for keyword in node.keywords:
            if value := changes.pop(f"{own}.{keyword.arg}", None):
                keyword.value = ast.parse(value, mode="eval").body
        for named in [pair for pair in more if pair[0].rsplit(".", 1)[0] == own]:
            more.remove(named)
            node.keywords.append(ast.keyword(named[0].rsplit(".", 1)[1], ast.parse(named[1], mode="eval").body))
    if changes or gone or more:
        raise RuntimeError(f"{item['id']}: the text does not set {[*changes, *gone, *more]}")
    return ast.fix_missing_locations(tree)
