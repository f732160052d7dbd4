// Real git pushes over HTTP to a real server that wants a password, in a terminal whose tab shows the password dialog.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { dialogIn, noDialogIn } from "./support/dialog.ts";
import { serveGit } from "./support/git-server.ts";
import type { GitServer } from "./support/git-server.ts";
import type { ShownTerminal } from "./support/shown-terminal.ts";
import { createTerminalWorld } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

let world: TerminalWorld;
let server: GitServer;
let terminal: ShownTerminal;

beforeAll(async () => {
  server = await serveGit({
    "ada/shop.git": { ada: "ada's word", grace: "grace's word" },
    "grace/blog.git": { grace: "grace's word" },
  });
  world = await createTerminalWorld();
  terminal = await world.open();
  await terminal.run(
    [
      "git config --global user.name Ada && git config --global user.email ada@example.com",
      "git config --global init.defaultBranch main && git config --global push.autoSetupRemote true",
      "pagewire git-credential setup",
      ...["shop", "blog"].map((name) => `git init -q ${name}`),
      `git -C shop remote add origin ${server.url("ada/shop.git")}`,
      `git -C blog remote add origin ${server.url("grace/blog.git")}`,
    ].join("\n"),
  );
});
beforeEach(() => {
  (server.signIns as unknown[]).length = 0;
});
afterAll(async () => {
  await world?.close();
  await server?.close();
});

let commits = 0;
/** Commits a change and pushes it. */
const push = (repository: string, more = "") =>
  terminal.start(`cd ~/${repository} && git commit -q --allow-empty -m ${++commits} && git push ${more}`);
/** The inbox's list. */
async function waiting(): Promise<unknown> {
  const headers = { Authorization: `Bearer ${await world.hub.token()}` };
  return ((await (await fetch(`${world.hub.url}/api/waits`, { headers })).json()) as { waits: unknown }).waits;
}
const accepted = () => server.signIns.map(({ username, isAccepted }) => [username, isAccepted]);

test("the dialog says which host, repository and command it is for, and with the right password the push goes through", async () => {
  const pushing = await push("shop");
  const dialog = await dialogIn(terminal.tab);
  expect(dialog.text).toContain(`Sign in to ${server.host}`);
  expect(dialog.text).toContain("/shop");
  expect(dialog.text).toContain("git push");
  expect(await waiting()).toMatchObject([{ kind: "dialog", message: `Sign in to ${server.host}` }]);
  await dialog.fill("ada", "ada's word");
  await dialog.click("Sign in");
  expect(await pushing.ended()).toMatchObject({ code: 0 });
  await expect.poll(waiting).toEqual([]);
  const { output } = await terminal.run("git -C ~/shop rev-parse HEAD");
  expect(server.head("ada/shop.git")).toBe(output.trim());
});

test("after a wrong password the next dialog says so, and the right one goes through", async () => {
  const wrong = await push("shop");
  const first = await dialogIn(terminal.tab);
  await first.fill("ada", "a wrong word");
  await first.click("Sign in");
  expect((await wrong.ended()).output).toContain("Authentication failed");
  const right = await push("shop");
  const second = await dialogIn(terminal.tab);
  expect(second.text).toContain("was refused");
  await second.fill("ada", "ada's word");
  await second.click("Sign in");
  expect(await right.ended()).toMatchObject({ code: 0 });
  expect(accepted()).toContainEqual(["ada", false]);
  expect(accepted().at(-1)).toEqual(["ada", true]);
});

test("when the dialog is cancelled git stops, and asks nowhere else", async () => {
  const pushing = await push("shop");
  const dialog = await dialogIn(terminal.tab);
  await dialog.click("Cancel");
  const { code, output } = await pushing.ended();
  expect(code).not.toBe(0);
  expect(output).not.toMatch(/Username|terminal prompts/);
  expect(server.signIns).toEqual([]);
});

test("two pushes at one time ask one after the other, and each is given what was entered for it", async () => {
  const both = await terminal.start(
    `${["shop", "blog"].map((name) => `(cd ~/${name} && git commit -q --allow-empty -m x && git push) & `).join("")}wait`,
  );
  for (let asked = 0; asked < 2; asked += 1) {
    const dialog = await dialogIn(terminal.tab);
    const name = dialog.text.includes("/shop") ? "ada" : "grace";
    await dialog.fill(name, `${name}'s word`);
    await dialog.click("Sign in");
  }
  expect((await both.ended()).code).toBe(0);
  expect(
    server.pushes
      .slice(-2)
      .map(({ username }) => username)
      .toSorted(),
  ).toEqual(["ada", "grace"]);
});

test("two accounts on one host are asked for by their names, and remembered apart until the page is left", async () => {
  for (const name of ["ada", "grace"]) {
    const address = server.url("ada/shop.git", name);
    const asked = await push("shop", `-q ${address} HEAD:${name}`);
    const dialog = await dialogIn(terminal.tab);
    await dialog.fill(`${name}'s word`);
    await dialog.click("Remember");
    await dialog.click("Sign in");
    expect(await asked.ended()).toMatchObject({ code: 0 });
    expect(await (await push("shop", `-q ${address} HEAD:${name}`)).ended()).toMatchObject({ code: 0 });
    expect(server.pushes.at(-1)?.username).toBe(name);
  }
  await noDialogIn(terminal.tab);
  await terminal.tab.reload();
  await terminal.ready();
  const forgotten = await push("shop", `-q ${server.url("ada/shop.git", "ada")} HEAD:ada`);
  await (await dialogIn(terminal.tab)).click("Cancel");
  expect((await forgotten.ended()).code).not.toBe(0);
});
