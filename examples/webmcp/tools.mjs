import { z } from "zod";

export function registerTools(server, counter) {
  const said = () => ({
    content: [{ type: "text", text: `The counter is ${counter.value}.` }],
    structuredContent: { value: counter.value },
  });

  server.registerTool(
    "add",
    {
      title: "Add",
      description: "Adds to a counter that the server keeps.",
      inputSchema: z.object({ amount: z.number().int().min(-1000).max(1000).describe("How much; may be negative.") }),
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    async ({ amount }) => {
      counter.add(amount);
      return said();
    },
  );

  server.registerTool(
    "get_counter",
    { title: "Get the counter", description: "Says what the counter is.", annotations: { readOnlyHint: true } },
    async () => said(),
  );

  server.registerTool(
    "list_additions",
    {
      title: "List additions",
      description: "What was added, the newest first.",
      inputSchema: z.object({ limit: z.number().int().min(1).max(50).default(10) }),
      annotations: { readOnlyHint: true },
    },
    async ({ limit }) => {
      const lines = counter.additions.slice(-limit).map(({ at, amount }) => `${at}  ${amount}`);
      return { content: [{ type: "text", text: lines.toReversed().join("\n") || "Nothing yet." }] };
    },
  );

  server.registerTool(
    "draw_counter",
    { title: "Draw the counter", description: "A picture of the counter.", annotations: { readOnlyHint: true } },
    async () => {
      const data = Buffer.from(drawing(counter.value)).toString("base64");
      return { content: [{ type: "image", mimeType: "image/svg+xml", data }] };
    },
  );

  server.registerTool(
    "fail",
    { title: "Fail", description: "Always fails, to see what an agent is told.", annotations: { readOnlyHint: true } },
    async () => {
      throw new Error("The database is locked.");
    },
  );

  // Offered while there is something to reset: clients hear of it when that changes.
  if (counter.additions.length === 0) return;
  server.registerTool(
    "reset_counter",
    {
      title: "Reset the counter",
      description: "Forgets all that was added.",
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async () => {
      counter.reset();
      return said();
    },
  );
}

function drawing(value) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="96" viewBox="0 0 240 96">
  <rect width="240" height="96" rx="12" fill="#0b6b5d"/>
  <text x="120" y="64" text-anchor="middle" font="600" font-family="Georgia, serif" font-size="48" fill="#fffdf8">${value}</text>
</svg>`;
}
