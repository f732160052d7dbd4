import { defineAgentProperties } from "./agent-properties.ts";
import type { AgentProperties } from "./agent-properties.ts";
import { HtmlElement } from "./html-element.ts";

class Described extends HtmlElement {}
defineAgentProperties(Described.prototype);

/** An element that has the properties of the tables, and no behaviour yet. */
export const AgentElement = Described as new () => HTMLElement & AgentProperties;

/** Properties set before the element was defined shadow its class's accessors: set them again. */
export function takeEarlyProperties(element: HTMLElement): void {
  const prototype: unknown = Object.getPrototypeOf(element);
  for (const [name, value] of Object.entries(element)) {
    if (name in Object(prototype) && Reflect.deleteProperty(element, name)) Reflect.set(element, name, value);
  }
}
