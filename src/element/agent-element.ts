import { defineAgentProperties } from "./agent-properties.ts";
import type { AgentProperties } from "./agent-properties.ts";
import { HtmlElement } from "./html-element.ts";

class Described extends HtmlElement {}
defineAgentProperties(Described.prototype);

/** An element that has the properties of the tables, and no behaviour yet. */
export const AgentElement = Described as new () => HTMLElement & AgentProperties;

/** What was set on an element before it was defined hides the properties of its class: set again, it is theirs. */
export function takeEarlyProperties(element: HTMLElement): void {
  const prototype: unknown = Object.getPrototypeOf(element);
  for (const [name, value] of Object.entries(element)) {
    if (name in Object(prototype) && Reflect.deleteProperty(element, name)) Reflect.set(element, name, value);
  }
}
