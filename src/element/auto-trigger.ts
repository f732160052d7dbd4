// One click listener for the whole document, there while any element is.
import { getConfig } from "./config.ts";

/** Handles a click. */
export interface Triggered {
  trigger: boolean;
}

const agents = new Set<unknown>();

export function addToAutoTrigger(agent: Triggered): void {
  if (agents.size === 0) document.addEventListener("click", onClick);
  agents.add(agent);
}

export function removeFromAutoTrigger(agent: Triggered): void {
  if (agents.delete(agent) && agents.size === 0) document.removeEventListener("click", onClick);
}

function onClick(event: Event): void {
  const { autoTrigger, triggerAttribute } = getConfig();
  if (!autoTrigger) return;
  // Includes elements in shadow roots, and their hosts.
  const button = event
    .composedPath()
    .find((node): node is Element => node instanceof Element && node.hasAttribute(triggerAttribute));
  const id = button?.getAttribute(triggerAttribute);
  if (!button || !id) return;
  const agent = [button.getRootNode(), document]
    .map((root) => find(root, id))
    .flatMap((element) => [element, heldBy(element)])
    .find(isAgent);
  if (!agent) return;
  event.preventDefault();
  agent.trigger = true;
}

function find(root: Node, id: string): unknown {
  return root instanceof Document || root instanceof DocumentFragment ? root.getElementById(id) : undefined;
}

/** The agent inside of an `<ai-chat>`. */
function heldBy(element: unknown): unknown {
  return (Object(element) as { readonly agent?: unknown }).agent;
}

function isAgent(element: unknown): element is Triggered {
  return agents.has(element);
}
