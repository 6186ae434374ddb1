"""Reads out.svg with an XML parser, and holds its shape against the counts in the arguments:
boxes, then links to boxes that stand elsewhere. Prints all its text."""

import re
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
root = xml.etree.ElementTree.parse("out.svg").getroot()
assert root.tag == f"{SVG}svg"
width, height = float(root.get("width")), float(root.get("height"))
assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
ids = {node.get("id") for node in root.iter() if node.get("id")}
drawn = [node for node in root.iter(f"{SVG}rect") if node.get("class") in "wbr"]
assert len(drawn) == int(sys.argv[1]), len(drawn)
links = [node for node in root.iter(f"{SVG}path") if node.get("marker-end")]
assert len(links) == int(sys.argv[2]), len(links)
for link in links:
    assert re.fullmatch(r"url\(#(.*)\)", link.get("marker-end")).group(1) in ids
places = set()
for box in root.iter(f"{SVG}rect"):
    x, y = float(box.get("x", 0)), float(box.get("y", 0))
    assert 0 <= x <= x + float(box.get("width")) <= width, box.attrib
    assert 0 <= y <= y + float(box.get("height")) <= height, box.attrib
    assert (x, y) not in places, "two boxes in one place"
    places.add((x, y))
print("\n".join(node.text or "" for node in root.iter(f"{SVG}text")))
