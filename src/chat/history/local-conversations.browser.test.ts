import { afterEach, expect, test } from "vitest";
import type { AiMessage } from "../../element/index.ts";
import { exchange, FakeAgent } from "../fake-agent.test-helper.ts";
import { memoryStorage } from "../model/drafts.ts";
import type { Conversations } from "./conversations.ts";
import { createConversations } from "./create-conversations.ts";

afterEach(() => sessionStorage.clear());

function start(storage = memoryStorage()) {
  const agent = new FakeAgent({ connection: "local", conversation: null });
  const conversations = createConversations(agent, { storage });
  /** The whole conversation after an answer. */
  const answer = (...messages: AiMessage[]) => {
    agent.tell({ loading: true, messages: messages.slice(0, -1) });
    agent.tell({ messages, loading: false });
  };
  return { agent, conversations, answer, storage };
}

const titles = async (conversations: Conversations) => (await conversations.list()).map(({ title }) => title);
const idsOf = ({ messages }: FakeAgent) => messages.map(({ id }) => id);

test("what was answered is kept with its title, goes on under its id, and is opened again", async () => {
  const { agent, conversations, answer } = start();
  expect([conversations.current, await conversations.list()]).toEqual([null, []]);
  answer(...exchange("1", "How  are\nsales?", "Good."));
  const first = conversations.current as string;
  answer(...exchange("1", "How  are\nsales?", "Good."), ...exchange("2", "And costs?", "Low."));
  expect([conversations.current, await titles(conversations)]).toEqual([first, ["How are sales?"]]);
  conversations.begin();
  expect([agent.messages, conversations.current]).toEqual([[], null]);
  answer(...exchange("3", "Weather?", "Sun."));
  expect(await titles(conversations)).toEqual(["Weather?", "How are sales?"]);
  conversations.open(first);
  expect([idsOf(agent), conversations.current]).toEqual([["1-q", "1-a", "2-q", "2-a"], first]);
  expect(await titles(conversations)).toEqual(["Weather?", "How are sales?"]);
});

test("an edited first question stays the same conversation; other messages that a page sets are another one, once answered", async () => {
  const { agent, conversations, answer } = start();
  answer(...exchange("1", "One?", "1"));
  const first = conversations.current;
  answer(...exchange("1b", "One more?", "2"));
  expect([conversations.current, await titles(conversations)]).toEqual([first, ["One more?"]]);
  agent.tell({ messages: exchange("9", "Of the page", "x") });
  expect([conversations.current, await titles(conversations)]).toEqual([null, ["One more?"]]);
  answer(...exchange("9", "Of the page", "x"), ...exchange("10", "Two?", "y"));
  expect(await titles(conversations)).toEqual(["Of the page", "One more?"]);
});

test("messages that a page sets during an answer are another conversation, and the one before is kept", async () => {
  const { agent, conversations, answer } = start();
  answer(...exchange("1", "One?", "1"));
  agent.tell({ loading: true, messages: [...exchange("1", "One?", "1"), ...exchange("2", "More?", "2").slice(0, 1)] });
  agent.tell({ messages: exchange("9", "Of the page", "x") });
  agent.tell({ loading: false });
  expect(await titles(conversations)).toEqual(["Of the page", "One?"]);
});

test("a conversation that is removed during an answer stays away, also where the answer's part is kept", async () => {
  const { agent, conversations, answer } = start();
  answer(...exchange("1", "One?", "1"));
  agent.keepOnFailure = true;
  void agent.send();
  agent.tell({ content: "Half" });
  await conversations.remove(conversations.current ?? "");
  conversations.begin();
  expect([conversations.current, await titles(conversations)]).toEqual([null, []]);
});

test("they are there after a reload; what was deleted is not, nor what another script wrote into the storage", async () => {
  const { conversations, answer, storage } = start();
  answer(...exchange("1", "One?", "1"));
  answer();
  conversations.begin();
  answer(...exchange("2", "Two?", "2"));
  const { conversations: after, agent } = start(storage);
  expect(await titles(after)).toEqual(["Two?", "One?"]);
  const [two, one] = await after.list();
  await after.remove(two?.id ?? "");
  after.open(two?.id ?? "");
  expect(agent.messages).toEqual([]);
  after.open(one?.id ?? "");
  await after.remove(one?.id ?? "");
  expect([after.current, await after.list()]).toEqual([null, []]);
  for (const wrong of ["{", "[1]", '[{"id":"a","title":1}]', "null"]) {
    storage.setItem("pagewire.conversations ", wrong);
    expect(await after.list()).toEqual([]);
  }
});

test("fifty are kept, the oldest is forgotten; one of more than two million characters lasts as long as the page", async () => {
  const { conversations, answer, storage } = start();
  for (let at = 0; at < 51; at += 1) {
    conversations.begin();
    answer(...exchange(`m${at}`, `Question ${at}`, "x"));
  }
  const all = await titles(conversations);
  expect([all.length, all[0], all.at(-1)]).toEqual([50, "Question 50", "Question 1"]);
  conversations.begin();
  answer(...exchange("large", "Large", "x".repeat(2_000_000)));
  expect((await titles(conversations))[0]).toBe("Large");
  expect((await titles(start(storage).conversations))[0]).toBe("Question 50");
});

test("a storage that is full keeps the newest, and of one that does not fit what it had of it", async () => {
  const storage = memoryStorage();
  let room = 5_000;
  const small = {
    ...storage,
    setItem(name: string, text: string) {
      if (text.length > room) throw new Error("QuotaExceededError");
      storage.setItem(name, text);
    },
  };
  const { conversations, answer } = start(small);
  for (const id of ["1", "2", "3"]) {
    conversations.begin();
    answer(...exchange(id, `Question ${id}`, "x".repeat(2_000)));
  }
  const after = async () => titles(start(storage).conversations);
  expect(await after()).toEqual(["Question 3", "Question 2"]);
  room = 0;
  answer(...exchange("3", "Question 3", "x".repeat(2_000)), ...exchange("4", "More", "y"));
  expect(await titles(conversations)).toEqual(["Question 3", "Question 2"]);
  conversations.begin();
  conversations.open((await conversations.list())[0]?.id ?? "");
  expect(await after()).toEqual(["Question 3", "Question 2"]);
});

test("a full storage keeps nothing, and loses nothing of the page's", async () => {
  const full = {
    ...memoryStorage(),
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  const { conversations, answer } = start(full);
  answer(...exchange("1", "One?", "1"));
  expect(await titles(conversations)).toEqual(["One?"]);
});

test("with a core at a hub the list is the hub's, and only what has the form of a conversation", async () => {
  const { agent, conversations, answer } = start();
  agent.connection = "open";
  agent.conversation = "c1";
  const asked: unknown[][] = [];
  agent.invoke = async (...command: unknown[]) => {
    asked.push(command);
    return [{ id: "c1", title: "Hub's", changedAt: 1 }, { id: 2 }, null];
  };
  answer(...exchange("1", "One?", "1"));
  expect([conversations.current, await titles(conversations)]).toEqual(["c1", ["Hub's"]]);
  await conversations.remove("c1");
  conversations.open("c2");
  expect(agent.conversation).toBe("c2");
  conversations.begin();
  expect([agent.conversation, asked]).toEqual([
    null,
    [
      ["listConversations", ["c1"]],
      ["deleteConversation", "c1"],
    ],
  ]);
});

test("a page holds the ids of a hub's conversations in which something was said, also after a reload, and not without a bound", async () => {
  const storage = memoryStorage();
  const held = async ({ agent, conversations }: ReturnType<typeof start>) => {
    let ids: unknown;
    agent.connection = "open";
    agent.invoke = async (...[, given]: unknown[]) => void (ids = given);
    await conversations.list();
    return ids;
  };
  const before = start(storage);
  before.agent.connection = "open";
  before.agent.tell({ conversation: "empty" });
  for (let n = 1; n <= 201; n++) before.agent.tell({ conversation: `c${n}`, messages: exchange("1", "One?", "1") });
  const ids = (await held(before)) as string[];
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([200, "c201", "c2"]);
  expect(await held(start(storage))).toEqual(ids);
  for (const wrong of ["{", "{}", "[1]"]) {
    const other = memoryStorage();
    other.setItem("pagewire.held ", wrong);
    expect(await held(start(other))).toEqual([]);
  }
});
