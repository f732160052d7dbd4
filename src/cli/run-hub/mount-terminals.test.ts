import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mountTerminals } from "./mount-terminals.ts";

test("without pseudo terminals, terminals are off, and the message ends with the command that installs them", async () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
  const io = { environment: {}, platform: "linux" };
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const loadPty = () => Promise.reject(missing);
  await expect(mountTerminals({ io, state: { directory: "/nowhere" }, klangk: false, loadPty })).rejects.toMatchObject({
    code: "terminal-unavailable",
    message: expect.stringMatching(new RegExp(`Run: npm install --prefix ${root}$`)),
  });
});
