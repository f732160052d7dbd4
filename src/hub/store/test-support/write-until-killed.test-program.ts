// Writes data of every kind that a store keeps, until it is killed; reports after each write what is saved by then.
import { openStore } from "../open-store.ts";
import { newConversationId } from "../port/store.ts";

const store = await openStore({ database: process.argv[2] ?? "" });
const key = { principal: "ada", id: newConversationId() };
const run = process.argv[3] ?? "";
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({ conversation: key.id });
await Promise.all([0, 1, 2, 3].map(writeAlways));

/** Many at the same time, so that some writes are always in flight. */
async function writeAlways(writer: number): Promise<void> {
  for (let at = 0; ; at++) {
    const name = `${run}.${writer}.${at}`;
    if (writer === 0) {
      await store.write(key, { keep: at, messages: [{ role: "user", content: `message ${at}` }] });
      say({ message: at });
    }
    await store.setRecord("consents", name, { principal: "ada", at });
    say({ record: name });
    await store.keys?.use("ada", name, { call: name, fingerprint: "f", tab: "t", epoch: "e" });
    say({ used: name });
    await store.keys?.end("ada", name, { outcome: "ok", ran: "yes", payload: `"${name}"` });
    say({ ended: name });
    await store.addAudit([{ at: new Date().toISOString(), kind: "call", principal: "ada", name }]);
    say({ audit: name });
  }
}
