"""run_notebook.py FILE.ipynb - executes the code cells of a notebook in order, as Jupyter would, with plain Python.

Standard output has what each cell's last expression gives. A cell that fails ends it with the cell's number."""
import ast
import json
import sys


def execute(source, names):
    """Runs a cell; prints the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        if value is not None:
            print(value)


def main(path):
    try:
        with open(path, encoding="utf-8") as f:
            cells = json.load(f)["cells"]
    except (OSError, ValueError, KeyError) as e:
        sys.exit(f"cannot read the notebook {path}: {e}")
    names = {"__name__": "__main__"}
    for i, cell in enumerate(cells):
        if cell.get("cell_type") != "code":
            continue
        try:
            execute("".join(cell["source"]), names)
        except Exception as e:
            sys.exit(f"{path}: cell {i + 1}: {type(e).__name__}: {e}")


main(sys.argv[1])
