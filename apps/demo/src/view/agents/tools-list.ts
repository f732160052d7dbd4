import type { Page } from "pagewire/page";
import type { Tool } from "pagewire/wire";
import { byId, html, show } from "../dom.ts";

/** The tools that the page offers. */
export function mountToolsList(page: Page): void {
  const list = byId("tools", HTMLUListElement);
  const title = byId("tools-title", HTMLElement);
  function draw(): void {
    const { tools } = page.toolbox.offer();
    title.textContent = `Tools (${tools.length})`;
    show(list, ...tools.map(createItem));
  }
  draw();
  page.toolbox.subscribe(draw);
}

function createItem(tool: Tool): HTMLLIElement {
  const { kind, text } = badgeOf(tool);
  return html(
    "li",
    { class: "tool" },
    html("span", { class: "tool-title" }, tool.title ?? tool.name),
    html("span", { class: `badge ${kind}` }, text),
    html("code", { class: "tool-name" }, tool.name),
  );
}

function badgeOf({ annotations }: Tool): { readonly kind: string; readonly text: string } {
  if (annotations?.readOnlyHint === true) return { kind: "reads", text: "read-only" };
  if (annotations?.destructiveHint === true) return { kind: "destructive", text: "destructive" };
  return { kind: "changes", text: "changes the page" };
}
