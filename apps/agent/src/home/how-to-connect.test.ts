import { expect, test } from "vitest";
import { importSnippet, scriptSnippet } from "./how-to-connect.tsx";

test("what is to be pasted names the hub where it is not the one that is found by itself", () => {
  expect(scriptSnippet("http://127.0.0.1:7337")).toContain('src="http://127.0.0.1:7337/pagewire.js"');
  expect(importSnippet("http://127.0.0.1:7337")).not.toContain("hub:");
  expect(importSnippet("https://hub.example.com")).toContain('hub: "https://hub.example.com"');
});
