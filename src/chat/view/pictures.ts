import { html } from "../dom/dom.ts";

/** The pictures of a turn. Pictures on other servers are named, not fetched. */
export function pictures(urls: readonly string[]): HTMLElement {
  return boxOf(urls, (picture, { name, url }) => picture ?? `${name}: ${url}`);
}

/** The pictures that a model made, each a link to it: one that is here is shown and can be saved. */
export function madePictures(urls: readonly string[]): HTMLElement {
  return boxOf(urls, (picture, { name, url, kind }) => {
    const save = { href: url, download: `picture.${kind}`, title: `Save ${name}` };
    const open = { href: url, target: "_blank", rel: "noopener noreferrer nofollow" };
    return picture ? html("a", save, picture) : url.startsWith("https:") ? html("a", open, `${name}: ${url}`) : name;
  });
}

interface Picture {
  readonly name: string;
  readonly url: string;
  readonly kind: string | undefined;
}

function boxOf(
  urls: readonly string[],
  draw: (shown: Node | undefined, picture: Picture) => Node | string,
): HTMLElement {
  const items = urls.map((url, at) => {
    const name = `Picture ${at + 1} of ${urls.length}`;
    const [, kind] = /^data:image\/(png|jpeg|gif|webp);/i.exec(url) ?? [];
    const shown = kind === undefined ? undefined : html("img", { src: url, alt: name });
    const drawn = draw(shown, { name, url, kind });
    return shown ? drawn : html("span", { class: "far-picture" }, drawn);
  });
  return html("div", { class: "pictures" }, ...items);
}
