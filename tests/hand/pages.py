"""Reading a page that steps through a hand as a browser would, without one."""

import json
from html.parser import HTMLParser

VOID = {"meta", "br", "input"}


class Node:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, dict(attributes), []

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, tag, kind=None):
        return [node for node in self.walk() if node.tag == tag and (kind is None or kind in node.kinds)]

    @property
    def kinds(self):
        return (self.attributes.get("class") or "").split()

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class Reader(HTMLParser):
    """A tree of the elements; whatever is not closed in order is an error."""

    def __init__(self, html):
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(html)
        self.close()
        assert self.open == [self.root], [node.tag for node in self.open]

    def handle_starttag(self, tag, attrs):
        node = Node(tag, attrs)
        assert len(node.attributes) == len(attrs), attrs
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag):
        assert self.open.pop().tag == tag

    def handle_data(self, data):
        self.open[-1].children.append(data)


def parse(html):
    return Reader(html).root


class Stepper:
    """What is shown after each move: slots are filled with the last entry that is not of a later move."""

    def __init__(self, html):
        self.root = parse(html)
        [data] = self.root.find("script")
        assert data.attributes == {"type": "application/json"}
        self.data = json.loads(data.text)
        self.last = self.data["last"]
        slots = (node for node in self.root.walk() if "data-slot" in node.attributes)
        self.places = {node.attributes["data-slot"]: node for node in slots}
        assert set(self.places) == set(self.data["slots"])

    def at(self, move):
        for name, course in self.data["slots"].items():
            assert [k for k, _ in course] == sorted({k for k, _ in course})
            made = [html for k, html in course if k <= move][-1]
            if name.endswith(".class"):
                self.places[name].attributes["class"] = made
            else:
                self.places[name].children = parse(made).children
        return Position(self.root)


class Position:
    """The pot and the table of players, read off the page."""

    def __init__(self, root):
        [pot] = root.find("span", "pot")
        self.pot = int(pot.text.removeprefix("pot "))
        [table] = root.find("table")
        head, *rows = (row.find("th") + row.find("td") for row in table.find("tr"))
        self.columns = [cell.text for cell in head]
        self.rows = [dict(zip(self.columns, row, strict=True)) for row in rows]
        self.table = table

    def numbers(self, column):
        return [int(row[column].text) for row in self.rows]

    def cards(self, column):
        return [cards_in(row[column]) for row in self.rows]


def cards_in(node):
    """List the cards that stand in a part of a page."""
    found = []
    for span in node.find("span", "card"):
        rank, sign = span.text
        suit = "cdhs"["♣♦♥♠".index(sign)]
        assert suit in span.kinds
        found.append(rank + suit)
    return found
