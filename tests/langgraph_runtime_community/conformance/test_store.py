"""The store through the API."""

from typing import Any
from uuid import uuid4


async def test_put_get_search_delete_and_namespaces(api: Any) -> None:
    root = str(uuid4())
    await api.store.put_item([root, "a"], "one", {"n": 1, "kind": "x"})
    await api.store.put_item([root, "a"], "two", {"n": 2, "kind": "y"})
    await api.store.put_item([root, "b"], "one", {"n": 3, "kind": "x"})
    item = await api.store.get_item([root, "a"], "one")
    assert item["value"] == {"n": 1, "kind": "x"} and item["namespace"] == [root, "a"]
    all_items = (await api.store.search_items([root]))["items"]
    assert {(tuple(each["namespace"]), each["key"]) for each in all_items} == {
        ((root, "a"), "one"), ((root, "a"), "two"), ((root, "b"), "one"),
    }  # fmt: skip
    only = (await api.store.search_items([root], filter={"kind": "y"}))["items"]
    assert [each["key"] for each in only] == ["two"]
    spaces = (await api.store.list_namespaces(prefix=[root]))["namespaces"]
    assert sorted(spaces) == [[root, "a"], [root, "b"]]
    await api.store.put_item([root, "a"], "one", {"n": 10})
    assert (await api.store.get_item([root, "a"], "one"))["value"] == {"n": 10}
    await api.store.delete_item([root, "a"], "one")
    assert {each["key"] for each in (await api.store.search_items([root, "a"]))["items"]} == {"two"}
