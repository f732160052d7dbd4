import { expect, onTestFinished, test, vi } from "vitest";

const load = async () => {
  vi.resetModules();
  await import("./index.ts");
};

test("on a server nothing happens", async () => {
  await load();
  expect("modelContext" in globalThis).toBe(false);
});

test("an insecure page has none, and the reason is logged once", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const page = {};
  vi.stubGlobal("document", page);
  vi.stubGlobal("isSecureContext", false);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    warn.mockRestore();
  });
  await load();
  await load();
  expect(page).toEqual({});
  expect(warn.mock.calls).toEqual([[expect.stringContaining("https://")]]);
});
