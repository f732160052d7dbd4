import type { TerminalInfo } from "pagewire/terminal";
import { html, icon } from "../../common/src/dom.ts";
import { whenText } from "../../common/src/when-text.ts";
import { icons } from "./icons.ts";

export interface ListParts {
  open(id: string): void;
  rename(id: string, name: string): void;
  end(id: string): void;
}

export interface TerminalList {
  readonly element: HTMLElement;
  draw(terminals: readonly TerminalInfo[], current: string | undefined): void;
}

/** The terminals there are. Each can be opened, renamed, and, once that was confirmed, ended. */
export function createList(parts: ListParts): TerminalList {
  const element = html("ul", { class: "terminals entries", "aria-label": "Terminals" });
  /** The terminal with an open question, and its subject. */
  let asked: { readonly id: string; readonly about: "name" | "end" } | undefined;
  /** The current items, by id, with the text that they were made from. */
  const items = new Map<string, { readonly text: string; readonly item: HTMLElement }>();
  const none = html("li", { class: "none" }, "None yet.");
  let last: readonly [readonly TerminalInfo[], string | undefined] = [[], undefined];

  function ask(id: string, about: "name" | "end" | undefined): void {
    asked = about && { id, about };
    draw(...last);
    const item = element.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
    item?.querySelector<HTMLElement>(about ? "input, .keep" : ".open")?.focus();
    item?.querySelector("input")?.select();
  }

  function draw(terminals: readonly TerminalInfo[], current: string | undefined): void {
    last = [terminals, current];
    const hadFocus = element.contains(document.activeElement);
    const place = document.activeElement?.closest<HTMLElement>("li")?.dataset["id"];
    const shown = terminals.map((info) => itemFor(info, current));
    // Only changed items: the user may be typing a name, or have the focus on a button.
    for (const item of [...element.children]) if (!shown.includes(item as HTMLElement)) item.remove();
    for (const [at, item] of shown.entries())
      if (element.children[at] !== item) element.insertBefore(item, element.children[at] ?? null);
    if (shown.length === 0) element.append(none);
    for (const id of items.keys()) if (!terminals.some((each) => each.id === id)) items.delete(id);
    if (!hadFocus || element.contains(document.activeElement)) return;
    (items.get(place ?? "")?.item ?? element).querySelector<HTMLElement>(".open")?.focus();
  }

  /** The existing item if it has not changed; an open question remains until it is answered. */
  function itemFor(info: TerminalInfo, current: string | undefined): HTMLElement {
    const text = asked?.id === info.id ? asked.about : JSON.stringify([info, info.id === current]);
    const there = items.get(info.id);
    if (there?.text === text) return there.item;
    const item = itemOf(info, current);
    items.set(info.id, { text, item });
    return item;
  }

  function itemOf(info: TerminalInfo, current: string | undefined): HTMLElement {
    if (asked?.id !== info.id) return plainItem(info, info.id === current);
    return asked.about === "end" ? endItem(info) : nameItem(info);
  }

  function plainItem({ id, name, createdAt }: TerminalInfo, isCurrent: boolean): HTMLElement {
    const title = html("span", { class: "title" }, name);
    const when = html("span", { class: "when" }, `since ${whenText(createdAt, Date.now())}`);
    const open = { type: "button", class: "open", "aria-current": isCurrent && "true", onclick: () => parts.open(id) };
    const small = (label: string, path: string, about: "name" | "end") => {
      const attributes = { type: "button", class: "small-button", "aria-label": `${label} ${name}`, title: label };
      return html("button", { ...attributes, onclick: () => ask(id, about) }, icon(path));
    };
    const buttons = [small("Rename", icons.pen, "name"), small("End", icons.bin, "end")];
    return html("li", { class: "entry", "data-id": id }, html("button", open, title, when), ...buttons);
  }

  function endItem({ id, name }: TerminalInfo): HTMLElement {
    function end(): void {
      ask(id, undefined);
      parts.end(id);
    }
    return html(
      "li",
      { "data-id": id, onkeydown: onEscape(() => ask(id, undefined)) },
      html(
        "div",
        { class: "question danger" },
        html("p", {}, `End ${name}? What runs in it is lost.`),
        html("button", { type: "button", class: "button small danger", onclick: end }, "End"),
        html("button", { type: "button", class: "button small keep", onclick: () => ask(id, undefined) }, "Keep"),
      ),
    );
  }

  function nameItem({ id, name }: TerminalInfo): HTMLElement {
    const field = html("input", { value: name, maxlength: 128, required: true, "aria-label": `New name of ${name}` });
    function submit(event: Event): void {
      event.preventDefault();
      ask(id, undefined);
      if (field.value.trim() !== "") parts.rename(id, field.value.trim());
    }
    const form = html(
      "form",
      { class: "question", onsubmit: submit },
      field,
      html("button", { type: "submit", class: "button small strong" }, "Rename"),
      html("button", { type: "button", class: "button small", onclick: () => ask(id, undefined) }, "Cancel"),
    );
    return html("li", { "data-id": id, onkeydown: onEscape(() => ask(id, undefined)) }, form);
  }

  return { element, draw };
}

function onEscape(run: () => void): (event: Event) => void {
  return (event) => {
    if ((event as KeyboardEvent).key !== "Escape") return;
    // It is for what is asked, and not for what is around it.
    event.stopPropagation();
    run();
  };
}
