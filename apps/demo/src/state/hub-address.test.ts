import { expect, test } from "vitest";
import { modelAddress, parseHubAddress } from "./hub-address.ts";

test("the hub's address is the origin of its address, and its models are beside it", () => {
  expect(parseHubAddress("http://127.0.0.1:7337")).toBe("http://127.0.0.1:7337");
  expect(parseHubAddress("https://hub.example.com/demo/?x#y")).toBe("https://hub.example.com");
  expect(modelAddress("http://127.0.0.1:7337")).toBe("ws://127.0.0.1:7337/ai-agent");
  expect(modelAddress("https://hub.example.com")).toBe("wss://hub.example.com/ai-agent");
});

test.each([null, undefined, ""])("a page without an address (%j) says where to get it from", (given) => {
  expect(() => parseHubAddress(given)).toThrow("does not know where its hub is");
});

test.each(["here", "127.0.0.1:7337", "javascript:alert(1)", "ws://127.0.0.1:7337", "//hub"])(
  "%j is no address of a hub, and is named",
  (given) => expect(() => parseHubAddress(given)).toThrow(`"${given}"`),
);
