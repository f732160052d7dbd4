import { expect, test } from "vitest";
import { nextEvent, prepare, show } from "./agent.test-helper.ts";

test("a click on what names the element sends, also on what is inside of it or was added later", async () => {
  const { agent, model } = prepare();
  agent.insertAdjacentHTML("afterend", `<form><button data-aitarget="chat"><b>Send</b></button></form>`);
  let left = false;
  document.querySelector("form")?.addEventListener("submit", () => (left = true));
  document.querySelector("b")?.click();
  await model.answer("Hi");
  await nextEvent(agent, "ai-agent:trigger-changed");
  expect([agent.content, left]).toEqual(["Hi", false]);
});

test("within a shadow root a click finds the element that is there", async () => {
  const { agent, model } = prepare();
  const host = document.createElement("div");
  agent.after(host);
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = `<button data-aitarget="own">Send</button><ai-agent id="own" provider="openai" model="m"></ai-agent>`;
  const own = root.querySelector("ai-agent");
  if (!own) throw new Error("There is no element.");
  Object.assign(own, { fetch: model.fetch, prompt: "Hello" });
  root.querySelector("button")?.click();
  await model.answer("Hi");
  await nextEvent(own, "ai-agent:trigger-changed");
  expect([own.content, agent.content]).toEqual(["Hi", ""]);
});

test("what names the element may be a component with a shadow root of its own", async () => {
  const { agent, model } = prepare();
  agent.insertAdjacentHTML("afterend", `<div data-aitarget="chat"></div>`);
  const root = agent.nextElementSibling?.attachShadow({ mode: "open" });
  if (root) root.innerHTML = `<button>Send</button>`;
  root?.querySelector("button")?.click();
  await model.answer("Hi");
  await nextEvent(agent, "ai-agent:trigger-changed");
  expect(agent.content).toBe("Hi");
});

test("what is named may hold the element, as a chat does", async () => {
  const { agent, model } = prepare(`<div id="chat"><ai-agent provider="openai" model="m"></ai-agent></div>`);
  const holder = agent.parentElement as HTMLElement;
  Object.assign(holder, { agent }).insertAdjacentHTML("afterend", `<button data-aitarget="chat">Send</button>`);
  document.querySelector<HTMLElement>("[data-aitarget]")?.click();
  await model.answer("Hi");
  await nextEvent(agent, "ai-agent:trigger-changed");
  expect(agent.content).toBe("Hi");
});

test("clicks do nothing without autoTrigger, without an element of that name, or once it is gone", async () => {
  const { agent, model } = prepare();
  agent.insertAdjacentHTML("afterend", `<button data-aitarget="chat"></button><button data-ask="chat"></button>`);
  const [first, second] = document.querySelectorAll("button");
  show("", { triggerAttribute: "data-ask" });
  first?.click();
  expect(agent.trigger).toBe(false);
  second?.click();
  expect(agent.trigger).toBe(true);
  await model.answer("Hi");
  await nextEvent(agent, "ai-agent:trigger-changed");
  show("", { autoTrigger: false });
  first?.click();
  expect(agent.trigger).toBe(false);
  show("");
  agent.remove();
  await Promise.resolve();
  first?.click();
  expect(agent.trigger).toBe(false);
});
