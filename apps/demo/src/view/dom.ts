/** The element with this id, of this kind; the page is broken without it. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} with the id "${id}": restore it.`);
  return found;
}
