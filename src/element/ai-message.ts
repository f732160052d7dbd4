import { hide } from "./hide.ts";
import { HtmlElement } from "./html-element.ts";

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
