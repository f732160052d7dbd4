import axe from "axe-core";
import { expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import { pageToolboxes } from "../../toolbox/index.ts";
import type { Toolbox } from "../../toolbox/index.ts";
import { defineAiChat } from "./ai-chat.ts";
import type { AiChat } from "./ai-chat.ts";
import manifest from "../../element/custom-elements.json" with { type: "json" };

defineAiChat();

/** A model of OpenAI's kind that gives these answers in turn; an answer is text, tool calls, or a whole response. */
function createModel(...answers: (string | object | Response)[]): { fetch: typeof fetch; asked: string[] } {
  const asked: string[] = [];
  const answer: typeof fetch = async (_address, options) => {
    asked.push(options?.body as string);
    const next = answers.shift() ?? "";
    if (next instanceof Response) return next;
    const delta = typeof next === "string" ? { content: next } : next;
    const chunk = { choices: [{ index: 0, delta, finish_reason: "stop" }] };
    const headers = { "content-type": "text/event-stream" };
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers });
  };
  return { fetch: answer, asked };
}

function callOf(name: string, json = "{}"): object {
  return { tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name, arguments: json } }] };
}

function place(markup: string, properties: Partial<AiChat> = {}): AiChat & { readonly shadowRoot: ShadowRoot } {
  const area = document.createElement("div");
  area.innerHTML = markup;
  const chat = area.querySelector("ai-chat") as AiChat & { readonly shadowRoot: ShadowRoot };
  Object.assign(chat, properties);
  document.body.append(area);
  onTestFinished(() => {
    area.remove();
    sessionStorage.clear();
  });
  return chat;
}

const local = '<ai-chat provider="openai" model="m" base-url="http://model.test"></ai-chat>';
const textOf = (chat: AiChat, selector: string) =>
  [...(chat.shadowRoot?.querySelectorAll(selector) ?? [])].map(({ textContent }) => textContent?.trim());

async function ask(chat: AiChat, text: string): Promise<void> {
  chat.focus();
  await userEvent.keyboard(`${text}{Enter}`);
}

async function problems(chat: AiChat): Promise<string[]> {
  const { violations } = await axe.run(chat);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

test("a question that is typed is answered in markdown, and again after another", async () => {
  const model = createModel("It is **ready**.", "Once more");
  const chat = place(local, { fetch: model.fetch });
  await ask(chat, "Is it?");
  await expect.poll(() => chat.shadowRoot.querySelector(".markdown strong")?.textContent).toBe("ready");
  expect(textOf(chat, ".said")).toEqual(["Is it?"]);
  await ask(chat, "And now?");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["It is ready.", "Once more"]);
  expect(model.asked[1]).toContain("And now?");
  expect(await problems(chat)).toEqual([]);
});

test("it has the attributes, properties, methods and events of the agent that it holds", async () => {
  const chat = place('<ai-chat provider="openai" model="m" temperature="0.2" tools="page"></ai-chat>');
  expect([chat.agent.provider, chat.model, chat.temperature]).toEqual(["openai", "m", 0.2]);
  chat.model = "other";
  expect(chat.agent.model).toBe("other");
  expect(chat.agent.getAttribute("tools")).toBe("page");
  const model = createModel("Hello");
  chat.removeAttribute("tools");
  Object.assign(chat, { fetch: model.fetch, baseUrl: "http://model.test", prompt: "Hi" });
  const seen: string[] = [];
  chat.addEventListener("ai-agent:content-changed", ({ detail }) => seen.push(detail));
  expect(await chat.send()).toBe("Hello");
  expect(seen.at(-1)).toBe("Hello");
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("properties that were set before the element was defined count, and so do its ai-message children", async () => {
  const model = createModel("Bonjour");
  const chat = place(
    '<ai-chat provider="openai" model="m" base-url="http://model.test"><ai-message>Speak French.</ai-message></ai-chat>',
    { fetch: model.fetch },
  );
  await ask(chat, "Hello");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Bonjour"]);
  expect(model.asked[0]).toContain("Speak French.");
});

test("an empty chat has the page's greeting and starters, or those that follow from the page's tools", async () => {
  const chat = place(
    '<ai-chat greeting="What may it be?" starters="One\n Two " placeholder="Ask the tea shop"></ai-chat>',
  );
  expect(textOf(chat, ".empty h2")).toEqual(["What may it be?"]);
  expect(textOf(chat, ".suggestion")).toEqual(["One", "Two"]);
  expect(chat.shadowRoot.querySelector("textarea")?.placeholder).toBe("Ask the tea shop");
  chat.removeAttribute("starters");
  chat.tools = [{ name: "list_teas", description: "All teas.", parameters: { type: "object", properties: {} } }];
  chat.removeAttribute("greeting");
  expect(textOf(chat, ".suggestion")).toEqual(["Show me the teas"]);
  expect(textOf(chat, ".empty h2, .empty > p")).toEqual([
    "What would you like to know?",
    "The assistant can use one tool of this page.",
  ]);
  expect(await problems(chat)).toEqual([]);
});

test("a tool that needs a yes is asked about in the chat, and its card shows what came out", async () => {
  const model = createModel(callOf("order", '{"tea":"oolong"}'), "Ordered.");
  const handler = ({ tea }: { tea: string }) => `one ${tea}`;
  const order = { name: "order", title: "Order tea", description: "Orders.", parameters: { type: "object" }, handler };
  const chat = place(local, { fetch: model.fetch, tools: [{ ...order, needsApproval: true }] });
  await ask(chat, "Order one");
  await expect.poll(() => textOf(chat, ".question")).toEqual(["May Order tea run?"]);
  expect(await problems(chat)).toEqual([]);
  const allow = () => [...chat.shadowRoot.querySelectorAll("button")].find((one) => one.textContent === "Allow once");
  await expect.poll(() => allow()?.getAttribute("aria-disabled")).toBe("false");
  await userEvent.click(allow() as HTMLButtonElement);
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Ordered."]);
  expect(textOf(chat, ".call-title")).toEqual(["Order tea"]);
  expect(model.asked[1]).toContain("one oolong");
});

test("a failure is said in words with the next step, never as JSON", async () => {
  const body = '{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error"}}';
  const chat = place(local, {
    fetch: createModel(new Response(body, { status: 401, statusText: "Unauthorized" })).fetch,
  });
  await ask(chat, "Hello");
  await expect
    .poll(() => textOf(chat, ".outcome p"))
    .toEqual([
      "The model's API answered 401 Unauthorized: Incorrect API key provided. Check the API key, and that it may use this model.",
    ]);
  expect(await problems(chat)).toEqual([]);
});

test("a hub that does not answer is said, with the command that starts it", async () => {
  const chat = place('<ai-chat remote-core-url="http://127.0.0.1:9/ai-agent"></ai-chat>');
  const text = "No hub answers at 127.0.0.1:9. Start it with: npx pagewire";
  await expect.poll(() => textOf(chat, ".outcome p")).toEqual([text]);
});

test("another conversation begins without the messages before; one that is taken out and put back works", async () => {
  const chat = place(local, { fetch: createModel("One", "Two").fetch });
  await ask(chat, "First");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["One"]);
  expect(chat.transcript()).toBe("## You\n\nFirst\n\n## Assistant\n\nOne\n");
  await userEvent.click(chat.shadowRoot.querySelector("[aria-label='New conversation']") as HTMLElement);
  await expect.poll(() => textOf(chat, ".turn")).toEqual([]);
  const { parentElement } = chat;
  chat.remove();
  await expect.poll(() => chat.shadowRoot.childElementCount).toBe(0);
  parentElement?.append(chat);
  await ask(chat, "Second");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Two"]);
});

test("another conversation does not bring back the question that was being answered, nor the failure of one", async () => {
  const begun = { choices: [{ index: 0, delta: { content: "Slow" } }] };
  const endless = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(begun)}\n\n`)),
  });
  const slow = new Response(endless, { headers: { "content-type": "text/event-stream" } });
  const chat = place(local, { fetch: createModel(slow, "One", new Response("No", { status: 401 })).fetch });
  const restart = () =>
    userEvent.click(chat.shadowRoot.querySelector("[aria-label='New conversation']") as HTMLElement);
  const state = () => [textOf(chat, ".turn"), textOf(chat, ".outcome:not([hidden]) p"), textOf(chat, ".busy").length];
  await ask(chat, "First");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Slow"]);
  await restart();
  await expect.poll(state).toEqual([[], [], 0]);
  expect(chat.shadowRoot.querySelector("textarea")?.value).toBe("");
  await ask(chat, "Second");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["One"]);
  await ask(chat, "Third");
  await expect.poll(() => textOf(chat, ".outcome p").join("")).toContain("401");
  await restart();
  await expect.poll(state).toEqual([[], [], 0]);
});

test("past conversations are listed over the talk, found again after another one began, and deleted; Escape leaves them", async () => {
  const chat = place(local, { fetch: createModel("One", "Two").fetch });
  const find = (selector: string) => chat.shadowRoot.querySelector<HTMLElement>(selector) as HTMLElement;
  await expect.poll(() => find("[aria-label=Conversations]")?.checkVisibility()).toBe(false);
  const opener = find("[aria-label=Conversations]");
  await ask(chat, "First");
  await expect.poll(() => opener.checkVisibility()).toBe(true);
  await userEvent.click(find("[aria-label='New conversation']"));
  await ask(chat, "Second");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Two"]);
  await userEvent.click(opener);
  await expect.poll(() => textOf(chat, ".conversations .title")).toEqual(["Second", "First"]);
  expect(textOf(chat, "[aria-current=true] .title")).toEqual(["Second"]);
  expect(await problems(chat)).toEqual([]);
  await userEvent.keyboard("{Escape}");
  expect([find(".history-scrim").hidden, chat.shadowRoot.activeElement]).toEqual([true, opener]);
  await userEvent.keyboard("{Enter}{Tab}{Tab}{ArrowDown}{Enter}");
  await expect.poll(() => textOf(chat, ".turn .said, .answer .markdown")).toEqual(["First", "One"]);
  expect(chat.shadowRoot.activeElement).toBe(find("textarea[aria-label=Message]"));
  await userEvent.click(opener);
  await userEvent.keyboard("{Tab}{Tab}{ArrowDown}{Delete}");
  expect(await problems(chat)).toEqual([]);
  await userEvent.click(find(".yes"));
  await expect.poll(() => textOf(chat, ".turn")).toEqual([]);
  await userEvent.click(opener);
  await expect.poll(() => textOf(chat, ".conversations .title")).toEqual(["Second"]);
  const parent = chat.parentElement;
  chat.remove();
  await expect.poll(() => find("[inert]")).toBeNull();
  parent?.append(chat);
  await expect.poll(() => opener.isConnected || find("[aria-label=Conversations]").checkVisibility()).toBe(true);
  expect(find("[inert]")).toBeNull();
});

test("a file goes from the field to the model, and axe finds nothing in either place", async () => {
  const model = createModel("Read.");
  const chat = place(local, { fetch: model.fetch });
  const chooser = chat.shadowRoot.querySelector("input[type=file]") as HTMLInputElement;
  await userEvent.upload(chooser, new File(["# Tea"], "notes.md"));
  await expect.poll(() => textOf(chat, ".file-chip")).toEqual(["notes.md5 B"]);
  expect(await problems(chat)).toEqual([]);
  await ask(chat, "What is in it?");
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Read."]);
  expect(textOf(chat, ".turn .file-chip")).toEqual(["notes.md5 B"]);
  expect(await problems(chat)).toEqual([]);
  expect(model.asked[0]).toContain("# Tea");
});

test("a click on what names the chat sends its prompt", async () => {
  const markup = local.replace("<ai-chat", '<ai-chat id="helper"') + '<button data-aitarget="helper">Ask</button>';
  const chat = place(markup, { fetch: createModel("Hello").fetch, prompt: "Hi" });
  await userEvent.click(chat.nextElementSibling as HTMLElement);
  await expect.poll(() => textOf(chat, ".answer .markdown")).toEqual(["Hello"]);
});

test("the user chooses among the models that the page names, or all of its provider's, and the answer says which it was", async () => {
  const model = createModel("One", "Two");
  const chat = place(local.replace("<ai-chat", '<ai-chat model-choice="m large"'), { fetch: model.fetch });
  const press = (selector: string) => userEvent.click(chat.shadowRoot.querySelector(selector) as HTMLElement);
  await expect.poll(() => textOf(chat, ".model-button")).toEqual(["Model: m"]);
  await press(".model-button");
  await expect.poll(() => textOf(chat, "[role=option]")).toEqual(["m", "large"]);
  await press("[role=option]:last-child");
  await ask(chat, "First");
  await expect.poll(() => textOf(chat, ".usage")).toEqual(["large"]);
  expect(JSON.parse(model.asked[0] ?? "")).toMatchObject({ model: "large" });
  expect(chat.messages.at(-1)).toMatchObject({ model: "large", chosenModel: "large" });
  expect(await problems(chat)).toEqual([]);
  chat.restart();
  await ask(chat, "Second");
  await expect.poll(() => textOf(chat, ".usage")).toEqual(["m"]);
  chat.modelChoice = "";
  chat.fetch = async () => Response.json({ data: [{ id: "listed" }] });
  await press(".model-button");
  await expect.poll(() => textOf(chat, "[role=option]")).toEqual(["listed"]);
  chat.modelChoice = null;
  await expect.poll(() => chat.shadowRoot.querySelector(".model-button")?.checkVisibility()).toBe(false);
});

test("its colours follow the page's scheme and its properties, and at 320 px nothing is wider than it", async () => {
  const chat = place(`<div style="width: 320px">${local}</div>`, {
    fetch: createModel("| a | b |\n|-|-|\n| 1 | 2 |").fetch,
  });
  const ground = () => getComputedStyle(chat).backgroundColor;
  const light = ground();
  chat.style.colorScheme = "dark";
  expect(ground()).not.toBe(light);
  chat.style.setProperty("--ai-chat-ground", "rgb(1, 2, 3)");
  expect(ground()).toBe("rgb(1, 2, 3)");
  chat.style.removeProperty("--ai-chat-ground");
  await ask(chat, "A table");
  await expect.poll(() => chat.shadowRoot.querySelector("td")?.textContent).toBe("1");
  expect(chat.scrollWidth).toBeLessThanOrEqual(320);
  expect(await problems(chat)).toEqual([]);
});

test("the tools that the page offers begin the starters when the chat is used, though they came later", async () => {
  const chat = place('<ai-chat provider="openai" model="m" tools="page"></ai-chat>');
  expect(textOf(chat, ".suggestion")).toEqual([]);
  const tools = [{ name: "list_teas", description: "All teas.", inputSchema: { type: "object" } }];
  const toolbox = { offer: () => ({ tools }) } as unknown as Toolbox;
  pageToolboxes.add(toolbox);
  onTestFinished(() => void pageToolboxes.delete(toolbox));
  chat.focus();
  await expect.poll(() => textOf(chat, ".suggestion")).toEqual(["Show me the teas"]);
});

test("the manifest names the attributes and members of the element, with all those of the agent", () => {
  const [agent, , chat] = manifest.modules.flatMap(({ declarations }) => declarations as Declared[]);
  const namesOf = (list: readonly { readonly name: string }[] | undefined) => list?.map(({ name }) => name) ?? [];
  const own = ["greeting", "placeholder", "starters"];
  const choice = ["model-choice", "modelChoice"] as const;
  expect(chat?.tagName).toBe("ai-chat");
  expect(namesOf(chat?.attributes).toSorted()).toEqual([...namesOf(agent?.attributes), ...own, choice[0]].toSorted());
  expect(namesOf(chat?.members).toSorted()).toEqual(
    [...namesOf(agent?.members), ...own, choice[1], "agent", "restart", "transcript"].toSorted(),
  );
  expect(namesOf(chat?.events)).toEqual(namesOf(agent?.events));
});

interface Declared {
  readonly tagName: string;
  readonly attributes?: { readonly name: string }[];
  readonly members?: { readonly name: string }[];
  readonly events?: { readonly name: string }[];
}
