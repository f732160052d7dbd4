import { expect, test } from "vitest";
import { show } from "./agent.test-helper.ts";
import { agentAttributes } from "./agent-properties.ts";
import { AiAgent, AiMessageElement } from "./index.ts";
import type { AiAgentEventMap } from "./index.ts";
import manifest from "./custom-elements.json" with { type: "json" };

interface Declaration {
  readonly tagName: string;
  readonly attributes: { readonly name: string; readonly fieldName: string }[];
  readonly members: {
    readonly kind: string;
    readonly name: string;
    readonly attribute?: string;
    readonly readonly?: true;
  }[];
  readonly events?: { readonly name: string }[];
}

const declarations = manifest.modules
  .flatMap((module) => module.declarations as Declaration[])
  // This one has a test of its own.
  .filter(({ tagName }) => tagName !== "ai-chat");

const events: Record<keyof AiAgentEventMap, true> = {
  "ai-agent:content-changed": true,
  "ai-agent:messages-changed": true,
  "ai-agent:usage-changed": true,
  "ai-agent:loading-changed": true,
  "ai-agent:streaming-changed": true,
  "ai-agent:error": true,
  "ai-agent:trigger-changed": true,
  "ai-agent:reasoning-changed": true,
  "ai-agent:object-changed": true,
  "ai-agent:tool-calls-changed": true,
  "ai-agent:tool-call-requested": true,
  "ai-agent:tool-call-completed": true,
  "ai-agent:connection-changed": true,
  "ai-agent:conversation-changed": true,
  "ai-agent:not-saved-changed": true,
};

/** The public members of a class up to HTMLElement, and whether each can be assigned. */
function membersOf(element: CustomElementConstructor): Record<string, boolean> {
  const members: Record<string, boolean> = {};
  let prototype = element.prototype as object;
  while (prototype !== HTMLElement.prototype) {
    for (const [name, { set, get, value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (/^constructor$|Callback$/.test(name)) continue;
      members[name] = get ? set !== undefined : typeof value !== "function";
    }
    prototype = Object.getPrototypeOf(prototype) as object;
  }
  return members;
}

test("the manifest names the elements' attributes, members and events, all of them and no others", () => {
  show("<ai-agent></ai-agent>");
  expect(declarations.map(({ tagName }) => customElements.get(tagName))).toEqual([AiAgent, AiMessageElement]);
  for (const { tagName, members } of declarations) {
    const stated = members.map(({ name, kind, readonly }) => [name, kind === "field" && readonly !== true]);
    expect(Object.fromEntries(stated)).toEqual(membersOf(customElements.get(tagName) ?? AiAgent));
  }
  const [agent] = declarations;
  expect(agent?.attributes.map(({ name }) => name).toSorted()).toEqual(agentAttributes.toSorted());
  expect(agent?.events?.map(({ name }) => name).toSorted()).toEqual(Object.keys(events).toSorted());
});

test("each attribute of the manifest is that of the property it names", () => {
  for (const { attributes, members } of declarations) {
    const stated = members.flatMap(({ name, attribute }) => (attribute ? [[name, attribute]] : []));
    expect(Object.fromEntries(attributes.map(({ fieldName, name }) => [fieldName, name]))).toEqual(
      Object.fromEntries(stated),
    );
  }
});
