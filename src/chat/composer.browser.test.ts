import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { exchange } from "./fake-agent.test-helper.ts";
import { button, connected, find, hasButton, salesTool, shop, shown, start, turns } from "./talk.test-helper.ts";

const mark = (element: HTMLElement) => {
  const found = find(element, ".mark", HTMLElement);
  return found.checkVisibility() ? found.querySelector("span")?.textContent : undefined;
};

function key(field: HTMLElement, more: KeyboardEventInit & { keyCode?: number }): boolean {
  return field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }));
}

test("Enter sends, Shift and Enter begins a line, and Enter that ends an input method's composing does neither", async () => {
  const { agent, element, field } = await start();
  await userEvent.fill(field, "One");
  await userEvent.keyboard("{Shift>}{Enter}{/Shift}Two");
  key(field, { isComposing: true });
  key(field, { keyCode: 229 });
  expect(agent.asked).toEqual([]);
  await userEvent.keyboard("{Enter}");
  expect(agent.asked).toMatchObject([{ command: "send", prompt: "One\nTwo", from: undefined }]);
  await shown();
  expect([field.value, turns(element)[0]]).toEqual(["", "You: One\nTwo"]);
  agent.answer("Ok");
  await userEvent.fill(field, "   ");
  await userEvent.keyboard("{Enter}");
  expect(agent.asked).toHaveLength(1);
});

test("while an answer is awaited there is Stop in place of Send, Escape stops, and Enter keeps the draft", async () => {
  const { agent, element, field } = await start();
  await userEvent.fill(field, "One");
  await userEvent.click(button(element, "Send"));
  await shown();
  expect([hasButton(element, "Send"), hasButton(element, "Stop the answer")]).toEqual([false, true]);
  await userEvent.fill(field, "Two");
  await userEvent.keyboard("{Enter}");
  expect([agent.asked.length, field.value]).toEqual([1, "Two"]);
  expect(find(element, ".composer [role=alert]", HTMLElement).textContent).toContain("your message stays here");
  await userEvent.keyboard("{Escape}");
  await shown();
  expect([agent.loading, hasButton(element, "Send")]).toEqual([false, true]);
});

test("a send that failed or was stopped restores its text, below newer text", async () => {
  const { agent, element, field } = await start();
  await userEvent.fill(field, "Lost");
  await userEvent.keyboard("{Enter}");
  agent.fail(new Error("The network is down."));
  await expect.poll(() => field.value).toBe("Lost");
  expect(turns(element)).toEqual([]);
  await userEvent.keyboard("{Enter}");
  await userEvent.fill(field, "Newer");
  await userEvent.click(button(element, "Stop the answer"));
  await shown();
  expect(field.value).toBe("Newer");
  await userEvent.fill(field, "");
  expect(field.value).toBe("Lost");
});

test("a failure shows its reason, and Try again repeats the request", async () => {
  const { agent, element, field } = await start();
  await userEvent.fill(field, "Again");
  await userEvent.keyboard("{Enter}");
  agent.fail(new Error("The network is down."));
  await expect.poll(() => find(element, ".outcome", HTMLElement).textContent).toContain("The network is down.");
  await userEvent.click(button(element, "Try again"));
  expect(agent.asked.map(({ prompt }) => prompt)).toEqual(["Again", "Again"]);
  await shown();
  expect([field.value, hasButton(element, "Try again")]).toEqual(["", false]);
  agent.answer("Here");
  agent.tell({ error: new Error("It broke off.") });
  await shown();
  await userEvent.click(button(element, "Try again"));
  expect(agent.asked.at(-1)?.command).toBe("regenerate");
});

test("unsaved messages are shown above the composer and announced, until they are saved", async () => {
  const { agent, element, announced } = await start();
  const line = find(element, ".not-saved", HTMLElement);
  expect(line.checkVisibility()).toBe(false);
  const message = "This conversation is not being saved: the hub's disk is full. It will be tried again.";
  agent.tell({ notSaved: { code: "not-saved", message } });
  await shown();
  expect([line.checkVisibility(), line.textContent, announced.at(-1)]).toEqual([true, message, message]);
  agent.tell({ notSaved: null });
  await shown();
  expect([line.checkVisibility(), announced.at(-1)]).toEqual([false, "All of it is saved now."]);
});

test("a hub without a model is reported", async () => {
  const session = {
    info: {
      version: "1",
      mode: "local",
      principal: "local",
      model: null,
      parentOrigins: [],
      demo: null,
      terminals: false,
    } as const,
  };
  const { element } = await start({ session });
  expect(find(element, ".outcome", HTMLElement).textContent).toContain("This hub has no model");
});

test("what the app proposes is the draft, marked as its own until it is emptied; the user's comes back", async () => {
  const { agent, clock, element, field, parent } = await start();
  await userEvent.fill(field, "Mine");
  parent.inject({ message: "Explain the dip", autoSend: false, origin: shop });
  await shown();
  expect([field.value, mark(element)]).toEqual(["Explain the dip", `From ${shop}`]);
  await userEvent.fill(field, "Explain the dip of May");
  expect([mark(element), agent.asked]).toEqual([`From ${shop}`, []]);
  await userEvent.keyboard("{Enter}");
  expect(agent.asked).toMatchObject([{ prompt: "Explain the dip of May", from: shop }]);
  await shown();
  expect([field.value, mark(element)]).toEqual(["Mine", undefined]);
  expect(turns(element)[0]).toBe(`The app ${shop}: Explain the dip of May`);
  agent.answer("Ok");
  clock.pass(2000);
  parent.inject({ message: "Another", autoSend: false, origin: shop });
  await shown();
  await userEvent.click(button(element, "Discard"));
  expect([field.value, mark(element)]).toEqual(["Mine", undefined]);
});

test("an app's suggestion waits while the user types or an input method composes", async () => {
  const { clock, element, field, parent } = await start();
  await userEvent.click(field);
  await userEvent.keyboard("Mi");
  parent.inject({ message: "Explain the dip", autoSend: false, origin: shop });
  clock.pass(1000);
  await userEvent.keyboard("ne");
  clock.pass(1900);
  await shown();
  expect([field.value, mark(element)]).toEqual(["Mine", undefined]);
  field.dispatchEvent(new CompositionEvent("compositionstart"));
  clock.pass(10_000);
  await shown();
  expect(field.value).toBe("Mine");
  field.dispatchEvent(new CompositionEvent("compositionend"));
  clock.pass(3000);
  await shown();
  expect([field.value, mark(element)]).toEqual(["Explain the dip", `From ${shop}`]);
  await userEvent.click(button(element, "Discard"));
  expect(field.value).toBe("Mine");
});

test("what the app sends by itself is sent at once in its name, or follows; the user's draft stays", async () => {
  const { agent, element, field, parent } = await start();
  await userEvent.fill(field, "Mine");
  parent.inject({ message: "First", autoSend: true, origin: shop });
  parent.inject({ message: "Second", autoSend: true, origin: shop });
  await shown();
  expect(agent.asked).toMatchObject([{ prompt: "First", from: shop }]);
  expect(find(element, ".queue", HTMLElement).textContent).toContain("Second");
  expect([field.value, mark(element)]).toEqual(["Mine", undefined]);
  agent.answer("Ok");
  await expect.poll(() => agent.asked.length).toBe(2);
  parent.inject({ message: "Third", autoSend: true, origin: shop });
  await userEvent.click(button(element, "Stop the answer"));
  await shown();
  expect(agent.asked).toHaveLength(2);
  expect(JSON.parse(sessionStorage.getItem("pagewire-queue") ?? "")).toMatchObject([
    { text: "Second" },
    { text: "Third" },
  ]);
  await userEvent.click(button(find(element, ".queue", HTMLElement), "Discard"));
  await userEvent.click(button(element, "Send now"));
  expect(agent.asked.at(-1)).toMatchObject({ prompt: "Third", from: shop });
  await userEvent.keyboard("{Enter}");
  expect(field.value).toBe("Mine");
});

test("the window names an app that sends without end, and the user loses nothing", async () => {
  const { agent, element, parent } = await start();
  for (let count = 0; count < 30; count++) parent.inject({ message: `No. ${count}`, autoSend: true, origin: shop });
  await shown();
  expect(agent.asked).toHaveLength(1);
  expect(element.querySelectorAll(".queue li")).toHaveLength(20);
  expect(find(element, ".composer [role=alert]", HTMLElement).textContent).toContain("more than 20 messages");
});

test("before anything was said there is whose assistant it is, and suggestions that fill the composer", async () => {
  const { agent, element, field, parent } = await start();
  expect(find(element, ".empty h2", HTMLElement).textContent).toBe("What would you like to know?");
  parent.setState(connected);
  await shown();
  expect(find(element, ".empty", HTMLElement).textContent).toContain(shop);
  await userEvent.click(button(element, "Show me the sales data of the last 30 days"));
  expect([field.value, document.activeElement]).toEqual(["Show me the sales data of the last 30 days", field]);
  expect(agent.asked).toEqual([]);
  agent.tell({ messages: exchange("1", "Hello", "Hi.") });
  await shown();
  expect(find(element, ".empty", HTMLElement).checkVisibility()).toBe(false);
});

const waitingFor = (element: HTMLElement) => find(element, ".outcome", HTMLElement).textContent;

test("a question asked before the app is there waits for its tools, and says so", async () => {
  const { agent, announced, element, field, parent } = await start({ state: { kind: "waiting" } });
  await userEvent.fill(field, "How were sales?");
  await userEvent.keyboard("{Enter}");
  await shown();
  expect([agent.asked, turns(element), field.value]).toEqual([[], ["You: How were sales?"], ""]);
  expect(waitingFor(element)).toContain("Waiting for the app…");
  parent.setState({ ...connected, relay: "waiting" });
  await shown();
  expect(waitingFor(element)).toContain("Waiting for shop.example…");
  expect(hasButton(element, "Stop the answer")).toBe(true);
  parent.setState(connected);
  await shown();
  expect(agent.asked).toMatchObject([{ command: "send", prompt: "How were sales?" }]);
  expect(find(element, ".outcome", HTMLElement).checkVisibility()).toBe(false);
  expect(announced).toEqual(["Waiting for the app…", "Waiting for shop.example…", "The assistant is answering."]);
});

test("what waits for the app is given back by Stop, and asked again from there", async () => {
  const { agent, element, field, parent } = await start({ state: { kind: "waiting" } });
  await userEvent.fill(field, "How were sales?");
  await userEvent.keyboard("{Enter}");
  await shown();
  await userEvent.click(button(element, "Stop the answer"));
  await expect.poll(() => field.value).toBe("How were sales?");
  parent.setState(connected);
  await shown();
  expect([agent.asked, turns(element)]).toEqual([[], []]);
});

test("where no app is beside the window, and no tabs may be used, nothing waits", async () => {
  const states = [{ kind: "none" }, { kind: "lost", origin: shop }, { kind: "refused", origin: shop }] as const;
  for (const state of states) {
    const { agent, field } = await start({ state });
    await userEvent.fill(field, "Hello");
    await userEvent.keyboard("{Enter}");
    expect(agent.asked).toHaveLength(1);
  }
});

test("at home a question waits for the tools of the connected tabs, which suggest what to ask", async () => {
  let isOn = true;
  const prepare = vi.fn<() => void>();
  const tabs = {
    tools: [salesTool],
    get whyNone() {
      return isOn ? undefined : "No page is chosen.";
    },
    prepare,
    onChange: () => () => {},
    get isOn() {
      return isOn;
    },
  };
  const { agent, element, field, parent } = await start({ tabs });
  expect(find(element, ".empty p", HTMLElement).textContent).toBe(
    "The assistant can use one tool of the connected pages. You are asked before anything is changed.",
  );
  await userEvent.click(button(element, "Show me the sales data of the last 30 days"));
  await userEvent.type(field, "{Enter}");
  expect([agent.asked.length, prepare.mock.calls.length]).toEqual([0, 1]);
  await expect.poll(() => element.textContent).toContain("Waiting for the tools of your tabs…");
  parent.setState({ kind: "none", relay: "waiting" });
  await shown();
  expect(agent.asked).toHaveLength(0);
  parent.setState({ kind: "none", relay: "open" });
  await expect.poll(() => agent.asked.length).toBe(1);
  isOn = false;
  parent.setState({ kind: "none" });
  agent.answer("Done.");
  await expect.poll(() => element.textContent).toContain("No page is chosen.");
  await userEvent.fill(field, "And now?");
  await userEvent.keyboard("{Enter}");
  expect(agent.asked).toHaveLength(2);
});

test("the partial text of an answer that is stopped or breaks off is kept", async () => {
  const { agent, element, field } = await start();
  const askFor = async (question: string, content: string) => {
    await userEvent.fill(field, question);
    await userEvent.keyboard("{Enter}");
    agent.tell({ content, streaming: true });
    await shown();
  };
  await askFor("One", "Half of");
  await userEvent.click(button(element, "Stop the answer"));
  await shown();
  expect([turns(element), field.value]).toEqual([["You: One", "Assistant: Half of"], ""]);
  await askFor("Two", "A third of");
  agent.fail(new Error("The network is down."));
  await shown();
  expect(turns(element).slice(2)).toEqual(["You: Two", "Assistant: A third of"]);
  expect(find(element, ".outcome", HTMLElement).textContent).toContain("The network is down.");
});

test("screen readers announce an answer's start and end, not each word", async () => {
  const { agent, announced, field } = await start();
  await userEvent.fill(field, "Hello");
  await userEvent.keyboard("{Enter}");
  await shown();
  for (const content of ["A", "A b", "A b c"]) {
    agent.tell({ content, streaming: true });
    await shown();
  }
  agent.answer("A b c");
  await shown();
  expect(announced).toEqual(["The assistant is answering.", "The answer is complete."]);
  await userEvent.fill(field, "Again");
  await userEvent.keyboard("{Enter}");
  await shown();
  agent.fail(new Error("It broke."));
  await shown();
  expect(announced.slice(2)).toEqual(["The assistant is answering.", "There is no answer: It broke."]);
});
