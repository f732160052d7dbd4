import { expect, test, vi } from "vitest";
import { record } from "./agent.test-helper.ts";
import { createServer, showRemote } from "./remote-server.test-helper.ts";
import * as telling from "./tool-call-reporter.ts";

vi.mock("./tool-call-reporter.ts", { spy: true });

test("where what tells of tool calls cannot be loaded, error says so, and the next call is told", async () => {
  vi.mocked(telling.createToolCallReporter).mockImplementationOnce(() => {
    throw new Error("404");
  });
  const look = { name: "look", description: "Looks.", parameters: { type: "object" }, handler: () => 2 };
  const server = createServer({ tools: [look] });
  const agent = showRemote();
  const errors = record(agent, "ai-agent:error");
  const told = record(agent, "ai-agent:tool-call-completed");
  for (const id of ["call-1", "call-2"]) {
    const sending = agent.send();
    const request = await server.model.next();
    const call = { index: 0, id, type: "function", function: { name: "look", arguments: "{}" } };
    request.say({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
    request.say("[DONE]");
    await server.model.answer("Done");
    expect(await sending).toBe("Done");
  }
  expect(errors).toContainEqual([
    "error",
    expect.objectContaining({ code: "part-missing", message: expect.stringMatching(/could not be loaded.*reload/) }),
  ]);
  expect(told.at(-1)).toEqual(["tool-call-completed", expect.objectContaining({ result: "2" })]);
});
