import { act, createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { show } from "./agent.test-helper.ts";
import { AiAgent, AiMessageElement, WcsAi, bootstrapAi, getConfig } from "./index.ts";

test("the elements are defined once, and again is nothing", () => {
  const agent = show(`<ai-agent><ai-message>Be brief.</ai-message></ai-agent>`);
  bootstrapAi();
  expect(agent).toBeInstanceOf(AiAgent);
  expect(agent).toBeInstanceOf(WcsAi);
  expect(agent.firstElementChild).toBeInstanceOf(AiMessageElement);
});

test("a name that other code has, or another name for what is defined, is refused and changes nothing", () => {
  show("<ai-agent></ai-agent>");
  customElements.define("taken-agent", class extends HTMLElement {});
  expect(() => bootstrapAi({ tagNames: { ai: "taken-agent" } })).toThrow(
    '<taken-agent> is defined by other code on this page: choose another name in "tagNames".',
  );
  expect(() => bootstrapAi({ tagNames: { ai: "second-agent" } })).toThrow(
    "<second-agent> cannot be defined: the element is <ai-agent> on this page already.",
  );
  expect(getConfig().tagNames.ai).toBe("ai-agent");
});

test("neither element shows anything", () => {
  const agent = show(`<ai-agent>Loose text<ai-message kind="user">Hello</ai-message></ai-agent>`);
  expect(agent.getBoundingClientRect().height).toBe(0);
  const alone = document.createElement("ai-message");
  alone.textContent = "Hello";
  agent.after(alone);
  expect(alone.checkVisibility()).toBe(false);
  alone.remove();
  expect(alone.messageContent).toBe("Hello");
  expect(alone.kind).toBe("system");
});

test("what a server rendered stays as it is, so that a framework finds it as it expects", async () => {
  const errors = vi.spyOn(console, "error").mockReturnValue();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  const agent = show(`<ai-agent provider="openai"><ai-message kind="system">Hi</ai-message></ai-agent>`);
  const message = createElement("ai-message", { kind: "system" }, "Hi");
  const place = agent.parentElement ?? document.body;
  await act(async () => hydrateRoot(place, createElement("ai-agent", { provider: "openai" }, message)));
  expect(errors.mock.calls).toEqual([]);
  expect([agent.isConnected, agent.getAttributeNames()]).toEqual([true, ["provider"]]);
});
