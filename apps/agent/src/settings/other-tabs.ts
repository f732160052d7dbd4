import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { SafeStorage } from "../../../common/src/safe-storage.ts";

/** Whether the assistant may use the user's other tabs; the id of a tab for only that one. */
export type TabsChoice = boolean | string;

export interface OtherTabsParts {
  /** Forgets when this window does. */
  readonly storage: SafeStorage;
  /** Whether this is the hub's home, which has no app: there, all tabs may be used by default. */
  readonly isHome: boolean;
  getConversation(): string | null;
  onChange(): void;
}

/** Which of the other connected tabs the assistant may use, in one conversation. */
export interface OtherTabs {
  readonly choice: TabsChoice;
  /** The choice, as it is shown. */
  readonly shown: ReadonlySignal<TabsChoice>;
  /**
   * Whether the conversation has them because the user chose so, or because something was asked while they could be
   * used.
   */
  readonly isKept: boolean;
  /** The user's own choice. */
  choose(choice: TabsChoice): void;
  /** Keeps the choice for the conversation, as if the user had made it. */
  keep(): void;
  /** Shows the choice of the current conversation. */
  draw(): void;
}

export function createOtherTabs({ storage, isHome, getConversation, onChange }: OtherTabsParts): OtherTabs {
  /** The choice for a conversation that has no id yet. */
  let wanted: TabsChoice | undefined;
  const shown = signal<TabsChoice>(isHome);
  const keyOf = (conversation: string): string => `pagewire.other-tabs ${conversation}`;

  function chosen(): TabsChoice | undefined {
    const conversation = getConversation();
    return conversation === null ? wanted : parse(storage.read(keyOf(conversation)));
  }

  function current(): TabsChoice {
    return chosen() ?? isHome;
  }

  function write(choice: TabsChoice): void {
    const conversation = getConversation();
    if (conversation === null) wanted = choice;
    else storage.write(keyOf(conversation), print(choice));
  }

  function draw(): void {
    if (getConversation() !== null && wanted !== undefined) {
      write(wanted);
      wanted = undefined;
    }
    shown.value = current();
  }

  return {
    shown,
    get choice() {
      return current();
    },
    get isKept() {
      const choice = chosen();
      return choice !== undefined && choice !== false;
    },
    choose(choice) {
      write(choice);
      draw();
      onChange();
    },
    keep: () => write(current() || true),
    draw,
  };
}

const tabMark = "tab ";

function print(choice: TabsChoice): string {
  if (typeof choice === "string") return tabMark + choice;
  return choice ? "on" : "off";
}

function parse(text: string | undefined): TabsChoice | undefined {
  if (text?.startsWith(tabMark)) return text.slice(tabMark.length);
  return text === "on" || text === "off" ? text === "on" : undefined;
}
