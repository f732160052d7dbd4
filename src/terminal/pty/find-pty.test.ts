import { expect, test } from "vitest";
import { findPty } from "./find-pty.ts";

const missing = () => Promise.reject(Object.assign(new Error("no such package"), { code: "ERR_MODULE_NOT_FOUND" }));
const spawn = () => ({});

test("the package that needs no compiler is preferred; the other one is used if it is missing", async () => {
  const asked: string[] = [];
  const loadPty = async (name: string): Promise<unknown> => {
    asked.push(name);
    return name === "node-pty" ? { default: { spawn } } : missing();
  };
  expect(await findPty({ loadPty, platform: "linux" })).toBe(spawn);
  expect(asked).toEqual(["@lydell/node-pty", "node-pty"]);
  expect(await findPty({ loadPty: async () => ({ spawn }), platform: "linux" })).toBe(spawn);
  expect(await findPty()).toBeTypeOf("function");
});

test("without a package, the error has the command that installs one; a broken package is reported with its error", async () => {
  await expect(findPty({ loadPty: missing, platform: "linux" })).rejects.toMatchObject({
    code: "terminal-unavailable",
    message: "Terminals need pseudo terminals, and no package for them is installed. Run: npm install @lydell/node-pty",
  });
  const loadPty = (name: string) =>
    name === "node-pty" ? Promise.resolve({}) : Promise.reject(new Error("wrong ABI"));
  const message = await findPty({ loadPty, platform: "linux" }).catch((error: Error) => error.message);
  expect(message).toContain('wrong ABI node-pty has no function "spawn". Run: npm install @lydell/node-pty');
});

test("on Windows, the error says to use WSL", async () => {
  await expect(findPty({ platform: "win32" })).rejects.toMatchObject({
    code: "terminal-unavailable",
    message: "Windows has no shells that Pagewire can open. Run the hub in WSL.",
  });
});
