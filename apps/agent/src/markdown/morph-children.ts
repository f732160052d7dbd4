/** Makes an element's children from an index on look like others, and keeps the nodes that are alike: a selection in them stays. */
export function morphChildren(place: Node & ParentNode, wanted: readonly Node[], from = 0): void {
  const before = [...place.childNodes].slice(from);
  for (const [index, node] of wanted.entries()) {
    const old = before[index];
    if (!old) place.append(node);
    else if (!morph(old, node)) old.replaceWith(node);
  }
  for (const old of before.slice(wanted.length)) old.remove();
}

function morph(old: Node, wanted: Node): boolean {
  if (old instanceof Text && wanted instanceof Text) {
    // Text that only grew keeps its selection.
    if (wanted.data.startsWith(old.data)) old.appendData(wanted.data.slice(old.data.length));
    else old.data = wanted.data;
    return true;
  }
  if (!(old instanceof Element && wanted instanceof Element) || tagOf(old) !== tagOf(wanted)) return false;
  morphChildren(old, [...wanted.childNodes]);
  return true;
}

function tagOf(element: Element): string {
  return JSON.stringify([element.localName, ...[...element.attributes].map(({ name, value }) => [name, value])]);
}
