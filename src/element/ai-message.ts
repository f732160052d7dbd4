import { hide, HtmlElement } from "./html-element.ts";
import type { AiMessage } from "../ai/index.ts";
import { getConfig } from "./config.ts";

/** `<ai-message>`: a part of the conversation that an `<ai-agent>` begins with, or its system text. Shows nothing. */
export class AiMessageElement extends HtmlElement {
  /** `system` (also when left out), `user` or `assistant`. */
  get kind(): string {
    return this.getAttribute("kind") ?? "system";
  }

  set kind(kind: string) {
    this.setAttribute("kind", kind);
  }

  /** The text without the space around it. */
  get messageContent(): string {
    return this.textContent?.trim() ?? "";
  }

  connectedCallback(): void {
    hide(this);
  }
}

/** The messages of an element's `<ai-message>` children, upgraded or not. */
interface SeededMessages {
  /** The text of the first system message. */
  readonly system: string | undefined;
  /** The conversation's initial turns, in document order. */
  readonly turns: AiMessage[];
}

export function readSeededMessages(agent: Element): SeededMessages {
  const { ai, aiMessage } = getConfig().tagNames;
  const system: string[] = [];
  const turns: AiMessage[] = [];
  for (const element of agent.querySelectorAll(aiMessage)) {
    const kind = element.getAttribute("kind") ?? "system";
    const content = element.textContent?.trim() ?? "";
    if (content === "" || element.closest(ai) !== agent) continue;
    if (kind === "system") system.push(content);
    else if (kind === "user" || kind === "assistant") turns.push({ role: kind, content });
    else if (kind !== "tool") console.warn(`<${aiMessage}>: kind "${kind}" is none of system, user and assistant.`);
  }
  return { system: system[0], turns };
}
