import { html } from "../../../common/src/dom.ts";
import type { SafeStorage } from "../../../common/src/safe-storage.ts";

export interface OtherTabsParts {
  /** Forgets when this window does. */
  readonly storage: SafeStorage;
  getConversation(): string | null;
  onChange(): void;
}

/** The switch that lets the assistant use whatever else is connected, in one conversation. */
export interface OtherTabs {
  readonly element: HTMLElement;
  readonly isOn: boolean;
  /** Shows what holds for the conversation of now. */
  draw(): void;
}

export function createOtherTabs({ storage, getConversation, onChange }: OtherTabsParts): OtherTabs {
  /** Of a conversation that has no id yet. */
  let isWanted = false;
  const keyOf = (conversation: string): string => `pagewire.other-tabs ${conversation}`;
  const box = html("input", {
    type: "checkbox",
    role: "switch",
    id: "other-tabs",
    "aria-describedby": "other-tabs-about",
  });

  function isOn(): boolean {
    const conversation = getConversation();
    return conversation === null ? isWanted : storage.read(keyOf(conversation)) === "on";
  }

  function set(isSet: boolean): void {
    const conversation = getConversation();
    if (conversation === null) isWanted = isSet;
    else storage.write(keyOf(conversation), isSet ? "on" : undefined);
    onChange();
  }

  box.addEventListener("change", () => set(box.checked));
  const about = "For this conversation only. You are asked before a tool changes anything.";
  return {
    element: html(
      "div",
      { class: "switch" },
      box,
      html("label", { for: "other-tabs" }, "May also use my other tabs"),
      html("p", { class: "hint", id: "other-tabs-about" }, about),
    ),
    get isOn() {
      return isOn();
    },
    draw() {
      const conversation = getConversation();
      if (conversation !== null && isWanted) {
        storage.write(keyOf(conversation), "on");
        isWanted = false;
      }
      box.checked = isOn();
    },
  };
}
