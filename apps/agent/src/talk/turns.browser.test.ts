import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
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
    messages: [...exchange("1", "Sum up", answer), ...exchange("2", "Again", answer)],
  });
  const headings = [...element.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((one) => one.checkVisibility());
  const levels = headings.map(({ tagName }) => Number(tagName.slice(1)));
  expect(levels).toEqual([2, 3, 4, 3, 4]);
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
  await expect.poll(() => scroller.scrollTop).toBeGreaterThan(500);
  const press = (type: string) => scroller.dispatchEvent(new PointerEvent(type, { bubbles: true }));
  // The scroll event is dispatched with the next frame, after the press.
  scroller.scrollTop -= 500;
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
