import { html } from "../../../common/src/dom.ts";
import type { SafeStorage } from "../../../common/src/safe-storage.ts";

export interface OtherTabsParts {
  /** Forgets when this window does. */
  readonly storage: SafeStorage;
  /** Whether this is the hub's home, which has no app: there, the switch is on by default. */
  readonly isHome: boolean;
  getConversation(): string | null;
  onChange(): void;
}

type Choice = "on" | "off";

/** The switch that lets the assistant use the other connected tabs, in one conversation. */
export interface OtherTabs {
  readonly element: HTMLElement;
  readonly label: string;
  readonly isOn: boolean;
  /**
   * Whether the conversation has them because the user chose so, or because something was asked while the switch was
   * on.
   */
  readonly isKept: boolean;
  /** Keeps it on for the conversation, as if the user had chosen it. */
  keep(): void;
  /** Shows the setting of the current conversation. */
  draw(): void;
}

export function createOtherTabs({ storage, isHome, getConversation, onChange }: OtherTabsParts): OtherTabs {
  /** The setting of a conversation that has no id yet. */
  let wanted: Choice | undefined;
  const label = isHome ? "May use the connected tabs" : "May also use my other tabs";
  const keyOf = (conversation: string): string => `pagewire.other-tabs ${conversation}`;
  const box = html("input", {
    type: "checkbox",
    role: "switch",
    id: "other-tabs",
    "aria-describedby": "other-tabs-about",
  });

  function chosen(): Choice | undefined {
    const conversation = getConversation();
    if (conversation === null) return wanted;
    const kept = storage.read(keyOf(conversation));
    return kept === "on" || kept === "off" ? kept : undefined;
  }

  function isOn(): boolean {
    const choice = chosen();
    return choice === undefined ? isHome : choice === "on";
  }

  function choose(choice: Choice): void {
    const conversation = getConversation();
    if (conversation === null) wanted = choice;
    else storage.write(keyOf(conversation), choice);
  }

  box.addEventListener("change", () => {
    choose(box.checked ? "on" : "off");
    onChange();
  });
  const about = "For this conversation only. You are asked before a tool changes anything.";
  return {
    element: html(
      "div",
      { class: "switch" },
      box,
      html("label", { for: "other-tabs" }, label),
      html("p", { class: "hint", id: "other-tabs-about" }, about),
    ),
    label,
    get isOn() {
      return isOn();
    },
    get isKept() {
      return chosen() === "on";
    },
    keep: () => choose("on"),
    draw() {
      const conversation = getConversation();
      if (conversation !== null && wanted !== undefined) {
        storage.write(keyOf(conversation), wanted);
        wanted = undefined;
      }
      box.checked = isOn();
    },
  };
}
