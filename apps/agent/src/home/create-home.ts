import type { Tool } from "pagewire/wire";
import { html, icon } from "../../../common/src/dom.ts";
import { icons } from "../icons.ts";
import type { Session } from "../session/session.ts";
import { createConnectedTabs } from "./connected-tabs.ts";
import { createHowToConnect } from "./how-to-connect.ts";

export interface HomeParts {
  readonly session: Session;
  /** The switch that lets the assistant use the connected tabs. */
  readonly otherTabs: HTMLElement;
  /** The callable tools of the connected tabs. */
  onTools(tools: readonly Tool[]): void;
}

export interface Home {
  readonly element: HTMLElement;
  close(): void;
}

/** The hub's home page without its conversation: the connected tabs, and how to connect more. */
export function createHome({ session, otherTabs, onTools }: HomeParts): Home {
  const { demo } = session.info;
  const count = html("span", { class: "count" });
  const tabs = createConnectedTabs({
    session,
    onTabs(tabCount, tools) {
      count.textContent = String(tabCount);
      onTools(tools);
    },
  });
  const toDemo =
    demo !== null &&
    html("a", { class: "button", href: demo, target: "_blank", rel: "noopener" }, icon(icons.out), "Open the demo");
  const element = html(
    "aside",
    { class: "home", id: "home", "aria-labelledby": "home-title", tabindex: -1 },
    html("div", { class: "home-head" }, html("h2", { id: "home-title" }, "Connected ", count), toDemo),
    tabs.element,
    otherTabs,
    ...createHowToConnect(location.origin),
  );
  return { element, close: tabs.close };
}
