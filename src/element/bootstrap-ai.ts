import { getConfig, setConfig } from "./config.ts";
import type { IWritableConfig } from "./config-types.ts";
import { PagewireError } from "../wire/errors.ts";
import { AiAgent } from "./ai-agent.ts";
import { AiMessageElement } from "./ai-message.ts";

/**
 * Applies the configuration, then defines `<ai-agent>` and `<ai-message>`. On a server it only applies the
 * configuration.
 */
export function bootstrapAi(config: IWritableConfig = {}): void {
  const before = getConfig();
  setConfig(config);
  try {
    if (globalThis.customElements) registerComponents();
  } catch (error) {
    setConfig(before);
    throw error;
  }
}

/** Defines both elements under their configured names. Names that are already defined are left alone. */
function registerComponents(): void {
  const { ai, aiMessage } = getConfig().tagNames;
  define(aiMessage, AiMessageElement);
  define(ai, AiAgent);
}

function define(name: string, element: CustomElementConstructor): void {
  const present = customElements.get(name);
  if (present === element) return;
  if (present) throw refusal(`<${name}> is defined by other code on this page: choose another name in "tagNames".`);
  const former = customElements.getName(element);
  if (former) throw refusal(`<${name}> cannot be defined: the element is <${former}> on this page already.`);
  customElements.define(name, element);
}

function refusal(message: string): PagewireError {
  return new PagewireError("options-invalid", message);
}

declare global {
  interface HTMLElementTagNameMap extends AiElementTagNameMap {}
}

/** The elements by their default names. */
export interface AiElementTagNameMap {
  "ai-agent": AiAgent;
  "ai-message": AiMessageElement;
}
