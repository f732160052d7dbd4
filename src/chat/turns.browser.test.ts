import axe from "axe-core";
import { expect, onTestFinished, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { AiMessage } from "../element/index.ts";
import { exchange } from "./fake-agent.test-helper.ts";
import { button, find, hasButton, shop, shown, start, turns } from "./talk.test-helper.ts";

test("the conversation is a log of named turns, and an app's messages are marked as the app's", async () => {
  const theirs = { id: "x", role: "user" as const, content: "Explain\u202E this", from: shop };
  const { element } = await start({ messages: [...exchange("1", "Hello", "Hi."), theirs] });
  expect(find(element, "[role=log]", HTMLElement).getAttribute("aria-label")).toBe("Conversation");
  expect(turns(element)).toEqual(["You: Hello", "Assistant: Hi.", `The app ${shop}: Explain⟨U+202E⟩ this`]);
  expect(find(element, ".turn.app .who", HTMLElement).textContent).toBe(`From ${shop}`);
});

test("heading levels do not skip, and landmarks have unique names, for any content of answers", async () => {
  const answer = "# Sales\n\n```js\n1\n```\n\n| a |\n| - |\n| 1 |\n\n## Days\n\n```js\n2\n```\n\n| a |\n| - |\n| 1 |";
  const { element } = await start({
    messages: [...exchange("1", "Sum up", answer), ...exchange("2", "Again", `##${answer}`)],
  });
  const headings = [...element.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((one) => one.checkVisibility());
  const levels = headings.map(({ tagName }) => Number(tagName.slice(1)));
  expect(levels).toEqual([2, 3, 4, 3, 3]);
  const names = [...element.querySelectorAll("[role=region]")].map((one) => one.getAttribute("aria-label"));
  expect(names).toEqual(["Messages"]);
});

test("a block of code in an answer has one box: what scrolls in it has no ground, margin or corners of its own", async () => {
  const { element } = await start({ messages: exchange("1", "Code", "```js\nlet a = 1;\n```") });
  const { backgroundColor, marginTop, borderRadius } = getComputedStyle(find(element, ".code-block pre", HTMLElement));
  expect([backgroundColor, marginTop, borderRadius]).toEqual(["rgba(0, 0, 0, 0)", "0px", "0px"]);
});

test("an answer streams into the element that it ends in, and unchanged elements are left alone", async () => {
  const { agent, element, field } = await start({ messages: exchange("1", "Hello", "Hi.") });
  const before = [...element.querySelectorAll(".turn")];
  await userEvent.fill(field, "And now?");
  await userEvent.keyboard("{Enter}");
  agent.tell({ streaming: true, reasoning: "Hm." });
  await shown();
  const answer = element.querySelector(".turn:last-child");
  const thoughts = find(element, ".turn:last-child details", HTMLDetailsElement);
  expect([thoughts.open, thoughts.hidden]).toEqual([false, false]);
  thoughts.open = true;
  const records: MutationRecord[] = [];
  const observer = new MutationObserver((changes) => records.push(...changes));
  for (const turn of before) observer.observe(turn, { childList: true, subtree: true, characterData: true });
  agent.tell({ content: "Now" });
  await shown();
  agent.answer("Now it is.");
  agent.tell({
    messages: agent.messages.map((message, at) => (at === 3 ? { ...message, reasoning: "Hm." } : message)),
  });
  await shown();
  expect(turns(element).at(-1)).toBe("Assistant: Now it is.");
  expect(element.querySelector(".turn:last-child")).toBe(answer);
  expect(thoughts.open).toBe(true);
  expect([...element.querySelectorAll(".turn")].slice(0, 2)).toEqual(before);
  expect(records).toEqual([]);
  observer.disconnect();
});

test("in a long conversation a piece of an answer changes one turn", async () => {
  const messages = Array.from({ length: 500 }, (_, at) =>
    exchange(String(at), `Question ${at}`, `Answer ${at}`),
  ).flat();
  const { agent, element } = await start({ messages });
  agent.tell({ loading: true, streaming: true, messages: [...messages, { id: "q", role: "user", content: "Last" }] });
  await shown();
  const changed = new Set<Node | null>();
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes)
      changed.add((target instanceof Element ? target : target.parentElement)?.closest(".turn") ?? null);
  });
  observer.observe(find(element, "[role=log]", HTMLElement), { childList: true, subtree: true, characterData: true });
  agent.tell({ content: "It" });
  await shown();
  agent.tell({ content: "It is" });
  await shown();
  expect([...changed]).toEqual([element.querySelector(".turn:last-child")]);
  observer.disconnect();
});

test("the view follows the end while the reader is there, stays where the reader scrolled to, and a button leads back", async () => {
  const messages = Array.from({ length: 40 }, (_, at) =>
    exchange(String(at), `Question ${at}`, "An answer.\n".repeat(5)),
  ).flat();
  const { agent, element } = await start({ messages });
  const scroller = find(element, ".talk-scroll", HTMLElement);
  const toEnd = find(element, ".to-end", HTMLButtonElement);
  const distance = () => Math.round(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight);
  await expect.poll(distance).toBeLessThan(2);
  const asked = [...messages, { id: "q", role: "user" as const, content: "More" }];
  agent.tell({ loading: true, streaming: true, messages: asked });
  agent.tell({ content: "Much.\n\n".repeat(60) });
  await shown();
  await expect.poll(distance).toBeLessThan(2);
  expect(toEnd.hidden).toBe(true);
  scroller.scrollTop -= 500;
  await expect.poll(() => toEnd.hidden).toBe(false);
  // Keeps the reader's position; the height of the content above may change.
  const top = scroller.getBoundingClientRect().top;
  const read = [...scroller.querySelectorAll(".turn")].find((turn) => turn.getBoundingClientRect().bottom > top + 1);
  const place = () => read?.getBoundingClientRect().top ?? Number.NaN;
  const before = place();
  agent.tell({ content: "Much.\n\n".repeat(120) });
  await shown();
  expect(Math.abs(place() - before)).toBeLessThan(2);
  await userEvent.click(button(element, "To the end"));
  await expect.poll(distance).toBeLessThan(2);
  agent.answer("Much.\n\n".repeat(160));
  await expect.poll(distance).toBeLessThan(2);
});

test("the button that leads to the end does not appear under a pressed pointer, whose click it would take", async () => {
  const messages = Array.from({ length: 40 }, (_, at) => exchange(String(at), `Question ${at}`, "An answer.")).flat();
  const { element } = await start({ messages });
  const scroller = find(element, ".talk-scroll", HTMLElement);
  const toEnd = find(element, ".to-end", HTMLButtonElement);
  await expect.poll(() => scroller.scrollTop).toBeGreaterThan(0);
  const press = (type: string) => scroller.dispatchEvent(new PointerEvent(type, { bubbles: true }));
  // To the top: the turns below have estimated heights, and the end may come closer when they are shown. The scroll event is
  // dispatched with the next frame, after the press.
  scroller.scrollTop = 0;
  press("pointerdown");
  await shown();
  expect(toEnd.hidden).toBe(true);
  press("pointerup");
  expect(toEnd.hidden).toBe(true);
  await expect.poll(() => toEnd.hidden).toBe(false);
});

test("until the model says something there are dots with a name", async () => {
  const { agent, element } = await start({ messages: [{ id: "q", role: "user", content: "Well?" }] });
  agent.tell({ loading: true });
  await shown();
  const dots = find(element, ".turn:last-child [role=img]", HTMLElement);
  expect([dots.getAttribute("aria-label"), dots.checkVisibility()]).toEqual(["The answer is coming", true]);
  agent.tell({ content: "So", streaming: true });
  await shown();
  expect(dots.checkVisibility()).toBe(false);
});

test("a turn's pictures are shown; one that lies elsewhere is named, and nothing is fetched", async () => {
  const here = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
  const { element } = await start({
    messages: [
      {
        id: "q",
        role: "user",
        content: [
          { type: "image", url: here },
          { type: "image", url: "https://elsewhere.example/x.png" },
        ],
      },
    ],
  });
  expect([...element.querySelectorAll("img")].map(({ src, alt }) => [src, alt])).toEqual([[here, "Picture 1 of 2"]]);
  expect(find(element, ".far-picture", HTMLElement).textContent).toContain("https://elsewhere.example/x.png");
});

test("an answer's pictures are shown below its text and can be saved; one that lies elsewhere is a link, not fetched", async () => {
  const here = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
  const far = "https://elsewhere.example/x.png";
  const [question] = exchange("1", "Draw", "");
  const content = [here, far, "javascript:alert(1)"].map((url) => ({ type: "image" as const, url }));
  const answer = {
    id: "a",
    role: "assistant" as const,
    content: [{ type: "text" as const, text: "A cup." }, ...content],
  };
  const onlyPicture = { id: "b", role: "assistant" as const, content: content.slice(0, 1) };
  const { agent, element } = await start({ messages: [question, answer, question, onlyPicture] as AiMessage[] });
  const pictures = [...element.querySelectorAll("img")];
  expect(pictures.map(({ src, alt }) => [src, alt])).toEqual([
    [here, "Picture 1 of 3"],
    [here, "Picture 1 of 1"],
  ]);
  const links = [...element.querySelectorAll<HTMLAnchorElement>(".pictures a")];
  expect(links.map(({ href, download, target, rel }) => [href, download, target, rel])).toEqual([
    [here, "picture.gif", "", ""],
    [far, "", "_blank", "noopener noreferrer nofollow"],
    [here, "picture.gif", "", ""],
  ]);
  agent.tell({ content: "More" });
  await shown();
  expect([...element.querySelectorAll("img")]).toEqual(pictures);
  const { violations } = await axe.run(element);
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test("the newest answer can be copied and asked for again, an older one copied; neither while an answer is awaited", async () => {
  const { agent, element } = await start({
    messages: [...exchange("1", "One", "First."), ...exchange("2", "Two", "Second.")],
  });
  const [older, newest] = element.querySelectorAll(".turn.answer");
  if (!older || !newest) throw new Error("There are no answers.");
  expect([hasButton(older, "Copy the answer"), hasButton(older, "Answer once more")]).toEqual([true, false]);
  await userEvent.click(button(newest, "Answer once more"));
  expect(agent.asked).toMatchObject([{ command: "regenerate" }]);
  await shown();
  expect([hasButton(older, "Copy the answer"), hasButton(element, "Edit this message")]).toEqual([true, false]);
  agent.answer("Third.");
  await shown();
  expect(turns(element).at(-1)).toBe("Assistant: Third.");
});

test("the newest answer says how many tokens it took, where the provider says so", async () => {
  const { agent, element } = await start({ messages: exchange("1", "Sum up", "Well.") });
  const usage = () => element.querySelector(".usage")?.textContent;
  expect(usage()).toBe("");
  agent.tell({ usage: { promptTokens: 1200, completionTokens: 34, totalTokens: 1234, cachedTokens: 1000 } });
  await shown();
  expect(usage()).toBe("1,234 tokens: 1,200 in, 1,000 of them cached, 34 out");
});

test("each answer says which model gave it, and what it cost where that is known", async () => {
  const usage = { promptTokens: 90, completionTokens: 10, totalTokens: 100, cost: 0.00123 };
  const [question, answer] = exchange("1", "Sum up", "Well.");
  const messages = [question, { ...answer, model: "gpt-x", usage }, ...exchange("2", "And?", "Done.")] as AiMessage[];
  const { agent, element } = await start({ messages });
  const used = () => [...element.querySelectorAll(".usage")].map(({ textContent }) => textContent);
  expect(used()).toEqual(["gpt-x · 100 tokens: 90 in, 10 out · $0.0012", ""]);
  agent.tell({ usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } });
  await shown();
  expect(used()[1]).toBe("2 tokens: 1 in, 1 out");
});

test("messages with a use or a model of another form are drawn without them", async () => {
  const [question, answer] = exchange("1", "Sum up", "Well.");
  const foreign = { ...answer, model: null, usage: { prompt_tokens: 3 } } as unknown as AiMessage;
  const { agent, element } = await start({ messages: [question as AiMessage, foreign] });
  expect(turns(element)).toEqual(["You: Sum up", "Assistant: Well."]);
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, cachedTokens: "x", cost: "1" };
  agent.tell({ messages: [question, { ...foreign, usage }] as AiMessage[] });
  await shown();
  expect(element.querySelector(".usage")?.textContent).toBe("2 tokens: 1 in, 1 out");
});

test("an answer's sources are links below it that say where they lead, and nothing of them is loaded", async () => {
  const [question, answer] = exchange("1", "Is it?", "Half.");
  const citations = [
    { url: "https://tea.example/oolong", title: "https://bank.example", quote: "Half oxidised." },
    { url: "javascript:alert(1)", title: "My <b>teas</b>" },
  ];
  const { element } = await start({ messages: [question, { ...answer, citations }] as AiMessage[] });
  const list = find(element, "details.sources", HTMLDetailsElement);
  expect([list.checkVisibility(), list.open, list.querySelector("summary")?.textContent]).toEqual([
    true,
    true,
    "2 sources",
  ]);
  expect([...list.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual([
    "https://bank.example tea.exampleHalf oxidised.",
    "My <b>teas</b>",
  ]);
  const links = [...list.querySelectorAll("a")].map(({ href, target, rel }) => [href, target, rel]);
  expect(links).toEqual([["https://tea.example/oolong", "_blank", "noopener noreferrer nofollow"]]);
  expect(list.querySelectorAll("img, iframe, link, script")).toHaveLength(0);
  element.parentElement?.style.setProperty("width", "320px");
  expect(list.scrollWidth).toBeLessThanOrEqual(list.clientWidth);
  const { violations } = await axe.run(element);
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test("copying puts the whole answer on the clipboard, and says so", async () => {
  const { element, announced } = await start({ messages: exchange("1", "One", "**First.**") });
  let copied = "";
  const listen = (event: ClipboardEvent) =>
    (copied = String(document.getSelection()) || (event.target as HTMLTextAreaElement).value);
  document.addEventListener("copy", listen);
  const write = navigator.clipboard.writeText;
  navigator.clipboard.writeText = (text) => {
    copied = text;
    return Promise.resolve();
  };
  await userEvent.click(button(element, "Copy the answer"));
  await expect.poll(() => announced).toContain("Copied.");
  expect(copied).toBe("**First.**");
  navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
  copied = "";
  await userEvent.click(button(element, "Copy the answer"));
  await expect.poll(() => copied).toBe("**First.**");
  navigator.clipboard.writeText = write;
  document.removeEventListener("copy", listen);
});

test("a turn is edited in place, by its button or with the Up key in an empty composer; Escape leaves it as it was", async () => {
  const { agent, element, field } = await start({
    messages: [...exchange("1", "One", "First."), ...exchange("2", "Two", "Second.")],
  });
  await userEvent.click(field);
  await userEvent.keyboard("{ArrowUp}");
  const editing = () => document.activeElement as HTMLTextAreaElement;
  expect([editing().ariaLabel, editing().value]).toEqual(["Edit the message", "Two"]);
  await userEvent.keyboard(" too{Escape}");
  expect([turns(element)[2], document.activeElement]).toEqual(["You: Two", field]);
  await userEvent.hover(find(element, ".turn", HTMLElement));
  await userEvent.click(button(find(element, ".turn", HTMLElement), "Edit this message"));
  await userEvent.keyboard("!{Enter}");
  expect(agent.asked).toMatchObject([{ command: "edit", messageId: "1-q", prompt: "One!" }]);
  await shown();
  expect(turns(element)[0]).toBe("You: One!");
});

test("while a turn is edited nothing clips the ring around its field", async () => {
  const { element, field } = await start({ messages: exchange("1", "One", "First.") });
  const turn = find(element, ".turn.user", HTMLElement);
  expect(getComputedStyle(turn).contentVisibility).toBe("auto");
  await userEvent.click(field);
  await userEvent.keyboard("{ArrowUp}");
  expect(getComputedStyle(turn).contentVisibility).toBe("visible");
});

test("on a phone a table is as wide as its cells need and scrolls, instead of rows of single words", async () => {
  await page.viewport(390, 800);
  onTestFinished(() => page.viewport(1280, 800));
  const cells = ["A product of the north", "Revenue of last month", "Orders of last month", "Best day of the month"];
  const row = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  const table = [
    row(cells),
    row(cells.map(() => "-")),
    row(cells),
    row(cells.map((text) => `${text}. `.repeat(8))),
  ].join("\n");
  const { element } = await start({ messages: exchange("1", "Table", table) });
  const [, short, long] = [...element.querySelectorAll("tr")].map((one) => one.getBoundingClientRect().height);
  const scroller = find(element, ".table-scroll", HTMLElement);
  expect([(short ?? 0) < 50, (long ?? 0) < 250, scroller.scrollWidth > scroller.clientWidth]).toEqual([
    true,
    true,
    true,
  ]);
  expect(scroller.getBoundingClientRect().right).toBeLessThanOrEqual(390);
});

test("what is edited while an answer is awaited stays open, and says why", async () => {
  const { agent, element, field } = await start({ messages: exchange("1", "One", "First.") });
  await userEvent.click(field);
  await userEvent.keyboard("{ArrowUp} more");
  agent.tell({ loading: true });
  await shown();
  await userEvent.keyboard("{Enter}");
  expect([agent.asked, (document.activeElement as HTMLTextAreaElement).value]).toEqual([[], "One more"]);
  expect(find(element, ".composer [role=alert]", HTMLElement).textContent).toContain("Wait for it, or stop it");
});

test("a failed edit is reopened with its text", async () => {
  const { agent, element, field } = await start({ messages: exchange("1", "One", "First.") });
  await userEvent.click(field);
  await userEvent.keyboard("{ArrowUp} more{Enter}");
  agent.fail(new Error("broken"));
  await expect.poll(() => (document.activeElement as HTMLTextAreaElement).value).toBe("One more");
  expect(turns(element)).toEqual(["You: One", "Assistant: First."]);
});

test("another conversation shows its own turns and draft", async () => {
  const { agent, element, field } = await start({ messages: exchange("1", "One", "First.") });
  await userEvent.fill(field, "Not yet");
  agent.tell({ conversation: "c2", messages: [] });
  await shown();
  expect([turns(element), field.value]).toEqual([[], ""]);
  agent.tell({ conversation: "c1", messages: exchange("1", "One", "First.") });
  await shown();
  expect([turns(element).length, field.value]).toEqual([2, "Not yet"]);
});
