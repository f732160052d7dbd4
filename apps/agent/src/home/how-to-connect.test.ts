import { expect, test } from "vitest";
import { clientCommands, importSnippet, scriptSnippet } from "./how-to-connect.ts";

test("what is to be pasted names the hub where it is not the one that is found by itself", () => {
  expect(scriptSnippet("http://127.0.0.1:7337")).toContain('src="http://127.0.0.1:7337/pagewire.js"');
  expect(importSnippet("http://127.0.0.1:7337")).not.toContain("hub:");
  expect(importSnippet("https://hub.example.com")).toContain('hub: "https://hub.example.com"');
  for (const here of ["http://127.0.0.1:7337", "http://localhost:1", "http://[::1]:7337"]) {
    expect(clientCommands(here)[0]).toBe("npx pagewire connect claude-code");
  }
  expect(clientCommands("https://hub.example.com")).toContain(
    "npx pagewire connect cursor --hub https://hub.example.com",
  );
});
