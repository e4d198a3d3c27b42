"""Which cases of a parametrised pytest function are run."""
import collections


def covering(items):
    """Of each test function its first case, and each further one that has a parameter's value that no earlier one had."""
    seen = set()
    for item in items:
        function = item.nodeid.split("[")[0]
        values = {(function, name, repr(value)) for name, value in getattr(getattr(item, "callspec", None), "params", {}).items()}
        values.add(function)
        if not values <= seen:
            yield item
        seen |= values


def first(items, most):
    """At most so many cases of each test function."""
    count = collections.Counter()
    for item in items:
        function = item.nodeid.split("[")[0]
        count[function] += 1
        if count[function] <= most:
            yield item
