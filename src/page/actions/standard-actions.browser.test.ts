import { expect, test } from "vitest";
import { makePage } from "./actions.test-helper.ts";
import { offerActions } from "./registration/offer-actions.ts";
import { standardActions } from "./standard-actions.ts";

const all = ["fetch", "clipboard_write", "git_credential", "celebrate", "beep", "bobdobbs", "boing"];

test("the standard actions have the names that programs know, and each can be left out", () => {
  const names = (options?: Parameters<typeof standardActions>[0]) => standardActions(options).map(({ name }) => name);
  expect(names()).toEqual(all);
  expect(names({ effects: false })).toEqual(all.slice(0, 3));
  expect(names({ fetch: false, clipboard: false, gitCredential: false })).toEqual(all.slice(3));
  expect(names({ fetch: { origins: ["https://api.example.com"] } })).toEqual(all);
});

test("fetch, the clipboard and passwords are for terminals only, what only shows or sounds is for everybody", () => {
  const forTerminals = (options?: Parameters<typeof standardActions>[0]) => {
    const page = makePage();
    offerActions(page, standardActions(options));
    const { tools } = page.toolbox.offer();
    return tools.filter(({ _meta }) => _meta?.["pagewire/audience"] === "terminal").map(({ name }) => name);
  };
  expect(forTerminals()).toEqual(["fetch", "clipboard_write", "git_credential"]);
  expect(forTerminals({ fetch: { agents: "all" }, clipboard: { agents: "all" } })).toEqual(["git_credential"]);
});
