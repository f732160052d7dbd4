import { html } from "../../../../common/src/dom.ts";

/** The pictures of a turn. One that lies elsewhere is named, and not fetched. */
export function pictures(urls: readonly string[]): HTMLElement {
  const items = urls.map((url, at) => {
    const name = `Picture ${at + 1} of ${urls.length}`;
    const isHere = /^data:image\/(png|jpeg|gif|webp);/i.test(url);
    return isHere ? html("img", { src: url, alt: name }) : html("span", { class: "far-picture" }, `${name}: ${url}`);
  });
  return html("div", { class: "pictures" }, ...items);
}
