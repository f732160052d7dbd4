import { expect, test } from "vitest";
import { createDrafts } from "./drafts.ts";
import type { DraftStorage } from "./drafts.ts";
import type { Prompt } from "./prompt.ts";

function createStorage(entries: Record<string, string> = {}): DraftStorage {
  const kept = new Map(Object.entries(entries));
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

const own = (text: string): Prompt => ({ text, images: [] });
const proposed = (text: string): Prompt => ({ text, images: [], from: "https://shop.example" });

test("a draft is kept for its conversation, with its pictures, and is there again after a reload", () => {
  const storage = createStorage();
  const drafts = createDrafts({ storage, conversation: "a" });
  drafts.write({ text: "About A", images: ["data:image/png;base64,AA"] });
  drafts.open("b");
  expect(drafts.current).toEqual(own(""));
  drafts.write({ text: "About B" });
  drafts.open("a");
  expect(drafts.current).toEqual({ text: "About A", images: ["data:image/png;base64,AA"] });
  const reloaded = createDrafts({ storage, conversation: "b" });
  expect(reloaded.current).toEqual(own("About B"));
  reloaded.take();
  expect(createDrafts({ storage, conversation: "b" }).current).toEqual(own(""));
});

test("what was written where nothing had been said goes with the user to the next conversation, and an app's words do not", () => {
  const storage = createStorage({ "pagewire-draft:b": JSON.stringify([own("Earlier")]) });
  const drafts = createDrafts({ storage, conversation: "a" });
  drafts.write({ text: "Mine" });
  drafts.propose(proposed("The app's"));
  drafts.open("b", true);
  expect(drafts.take()).toEqual(own("Mine"));
  expect(drafts.current).toEqual(own("Earlier"));
  expect(createDrafts({ storage, conversation: "a" }).current).toEqual(own(""));
});

test("a question that such a conversation did not take is given back in the one on show", () => {
  const drafts = createDrafts({ storage: createStorage(), conversation: "a" });
  drafts.open("b", true);
  drafts.giveBack(own("Asked in vain"), "a");
  expect(drafts.current).toEqual(own("Asked in vain"));
});

test("what is written before the conversation has an id goes with it, and hides nothing that was kept", () => {
  const storage = createStorage({ "pagewire-draft:a": JSON.stringify([own("Earlier")]) });
  const drafts = createDrafts({ storage, conversation: null });
  drafts.write({ text: "Early" });
  drafts.open("a");
  expect(drafts.take()).toEqual(own("Early"));
  expect(drafts.current).toEqual(own("Earlier"));
});

test("of a storage that is full, broken or written by others, nothing comes but an empty draft", () => {
  for (const text of ["{", "null", '{"text":1}', '[{"text":1,"images":[]}]', '[{"text":"x","images":["https://x"]}]']) {
    const storage = createStorage({ "pagewire-draft:a": text });
    expect(createDrafts({ storage, conversation: "a" }).current, text).toEqual(own(""));
  }
  const full = () => {
    throw new Error("full");
  };
  const drafts = createDrafts({ storage: { getItem: full, setItem: full, removeItem: full }, conversation: "a" });
  drafts.write({ text: "Still here" });
  expect(drafts.current).toEqual(own("Still here"));
  const large = { text: "Look", images: [`data:image/png;base64,${"A".repeat(1_100_000)}`] };
  const storage = createStorage();
  createDrafts({ storage, conversation: "a" }).write(large);
  expect(createDrafts({ storage, conversation: "a" }).current).toEqual(own("Look"));
});

test("what the app proposes lies on top of the user's own draft, which comes back when that is emptied or taken", () => {
  const drafts = createDrafts({ storage: createStorage(), conversation: "a" });
  drafts.write({ text: "Mine" });
  drafts.propose(proposed("One"));
  drafts.propose(proposed("Two"));
  expect(drafts.current).toEqual(proposed("Two"));
  drafts.write({ text: "Two, please" });
  expect(drafts.current).toEqual(proposed("Two, please"));
  drafts.propose(proposed("Three"));
  expect(drafts.take()).toEqual(proposed("Three"));
  expect(drafts.current).toEqual(proposed("Two, please"));
  drafts.write({ text: "" });
  expect(drafts.current).toEqual(own("Mine"));
});

test("a prompt that failed to send becomes the top draft again, but never above one that is being written", () => {
  const drafts = createDrafts({ storage: createStorage(), conversation: "a" });
  drafts.write({ text: "Mine" });
  drafts.propose(proposed("Theirs"));
  drafts.giveBack(drafts.take(), "a");
  expect(drafts.current).toEqual(proposed("Theirs"));
  const taken = drafts.take();
  drafts.write({ text: "Mine, longer" });
  drafts.giveBack(taken, "a");
  expect(drafts.take()).toEqual(own("Mine, longer"));
  expect(drafts.current).toEqual(proposed("Theirs"));
});

test("a prompt that another conversation refused waits there", () => {
  const drafts = createDrafts({ storage: createStorage(), conversation: "b" });
  drafts.giveBack(own("For A"), "a");
  expect(drafts.current).toEqual(own(""));
  drafts.open("a");
  expect(drafts.current).toEqual(own("For A"));
});
