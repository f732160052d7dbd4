// Writes messages one after the other until it is killed; says, in one line, which conversation, once some are written.
import { createFileStore } from "./file-store.ts";
import { newConversationId } from "./store.ts";

const store = createFileStore({ directory: process.argv[2] ?? "" });
const key = { principal: "ada", id: newConversationId() };
for (let keep = 0; ; keep++) {
  await store.write(key, { keep, messages: [{ role: "user", content: `message ${keep}` }] });
  if (keep === 50) process.stdout.write(`${JSON.stringify({ key, written: 51 })}\n`);
}
