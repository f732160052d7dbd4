import { expect, test } from "vitest";
import { createConversation } from "./model.test-helper.ts";

test("of two messages with one id the later is given another, so that no failure takes both", async () => {
  const { core, model, send } = createConversation();
  core.messages = [
    { id: "d", role: "user", content: "first" },
    { id: "d", role: "user", content: "second" },
  ];
  const [first, second] = core.messages;
  expect([first?.id, second?.id === "d"]).toEqual(["d", false]);
  const answer = send("third");
  (await model.next()).respond(new Response("", { status: 500 }));
  expect(await answer).toBeNull();
  expect(core.messages.map(({ content }) => content)).toEqual(["first", "second"]);
});
