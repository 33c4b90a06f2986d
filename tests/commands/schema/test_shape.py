"""The size of a shape never grows with the number of records."""

from unified_cli.commands.schema.shape import ObservedShape, paths


def test_names_that_never_end_take_bounded_memory() -> None:
    shape = ObservedShape()
    for at in range(20_000):
        shape.add({f"k{at}": {f"n{at % 977}": [{f"m{at % 991}": at}]}, "note": f"text {at}"})
    assert len([*paths(shape.root)]) < 10_000
    assert shape.root.others is not None
    assert shape.root.others.seen > 15_000


def test_nesting_that_never_ends_takes_bounded_memory() -> None:
    shape, record = ObservedShape(), {}
    for _ in range(300):
        record = {"in": [record]}
    shape.add(record)
    assert len([*paths(shape.root)]) < 100


def test_a_shape_of_two_is_the_shape_of_both() -> None:
    first, second, both = ObservedShape({"size"}), ObservedShape({"size"}), ObservedShape({"size"})
    for at in range(10):
        record = {
            "id": at,
            "size": "SML"[at % 3],
            **({"tags": [None, {"a": 1.5}]} if at % 2 else {}),
        }
        (first if at < 3 else second).add(record)
        both.add(record)
    first.merge(second)
    told = [
        [(path, node.counts, node.values, of) for path, node, of in paths(one.root)]
        for one in (first, both)
    ]
    assert told[0] == told[1]
