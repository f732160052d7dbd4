import { afterEach, expect, test, vi } from "vitest";
import { noteRefusedHandshake, refusedHandshake } from "./open-session.ts";

const url = "https://mcp.example/mcp";
const day = 24 * 60 * 60_000;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const fresh = () => import("./open-session.ts");

test("MC48: what a server refused is remembered for a day, the last word of it", () => {
  expect(refusedHandshake(url, 0)).toBeUndefined();
  noteRefusedHandshake(url, "discover", 0);
  expect([refusedHandshake(url, day - 1), refusedHandshake(url, day)]).toEqual(["discover", undefined]);
  noteRefusedHandshake(url, "initialize", 5);
  expect(refusedHandshake(url, 6)).toBe("initialize");
});

test("an address is remembered whole, and what it says is not kept", () => {
  noteRefusedHandshake(`${url}?server=a&key=secret#top`, "discover", 0);
  const known = ["?server=a&key=secret", "?server=b&key=secret", ""].map((query) =>
    refusedHandshake(`${url}${query}`, 1),
  );
  expect([known[0], known[1]]).toEqual(["discover", undefined]);
});

test("the memory is bounded: the server that was noted first is forgotten first", () => {
  for (let at = 0; at <= 100; at++) noteRefusedHandshake(`${url}/${at}`, "discover", 0);
  expect([refusedHandshake(`${url}/0`, 1), refusedHandshake(`${url}/100`, 1)]).toEqual([undefined, "discover"]);
});

test("a page's storage carries it to the next page of the origin, and what is broken there is passed over", async () => {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  };
  vi.stubGlobal("document", {});
  vi.stubGlobal("localStorage", localStorage);
  vi.resetModules();
  (await fresh()).noteRefusedHandshake(url, "discover", 0);
  vi.resetModules();
  expect((await fresh()).refusedHandshake(url, 1)).toBe("discover");
  const [key = ""] = Object.keys(JSON.parse([...kept.values()].join("")) as object);
  expect(key).not.toContain("mcp");
  for (const broken of ["{", "[]", `{"${key}":5}`, `{"${key}":{"handshake":"other","until":9e15}}`]) {
    kept.set([...kept.keys()][0] ?? "", broken);
    vi.resetModules();
    expect((await fresh()).refusedHandshake(url, 1)).toBeUndefined();
  }
});

test("a storage that cannot be used is none", async () => {
  vi.stubGlobal("document", {});
  const forbidden = () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  vi.stubGlobal("localStorage", { getItem: forbidden, setItem: forbidden });
  vi.resetModules();
  const { noteRefusedHandshake: note, refusedHandshake: refused } = await fresh();
  note(url, "discover", 0);
  expect(refused(url, 1)).toBe("discover");
});
