import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkExample } from "../../scripts/lib/example-world.mjs";

await checkExample(async ({ url, token, servePage, open }) => {
  const html = readFileSync(new URL("index.html", import.meta.url), "utf8").replaceAll("http://127.0.0.1:7337", url);
  const address = await servePage(html);

  // The browser signs in by a link that is good once, as `pagewire open` prints it.
  const headers = { Authorization: `Bearer ${token}` };
  const code = await (await fetch(`${url}/api/codes`, { method: "POST", headers })).json();
  const home = await open(code.url);
  const fieldOf = (page) => page.getByRole("textbox", { name: "Message", exact: true });
  await fieldOf(home).waitFor();
  assert.ok(!home.url().includes(code.code));

  // A click in the app opens the assistant.
  const app = await home.context().newPage();
  await app.goto(address);
  const tasks = app.getByRole("list", { name: "Tasks" }).locator("li");
  const click = (name) => app.getByRole("button", { name }).click();
  const [assistant] = await Promise.all([app.waitForEvent("popup"), click("Open AI assistant")]);
  await app.getByRole("status").filter({ hasText: "connected." }).waitFor();
  await assistant.getByRole("banner").filter({ hasText: "2 tools" }).waitFor();
  const answer = assistant.getByRole("article", { name: "Assistant" }).last();
  const say = async (words) => {
    await fieldOf(assistant).fill(words);
    await assistant.getByRole("button", { name: "Send" }).click();
  };

  // Read-only tools run without a question.
  await say("List the tasks");
  await answer.filter({ hasText: "Call the printer" }).waitFor();

  // A tool that changes something waits for the user; then the app shows the change.
  await say('Add a task "Buy tea"');
  const allow = assistant.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  assert.equal(await tasks.count(), 2);
  await allow.click();
  // On a busy machine the window may come to the front in the middle of the click, which then does not count, and says so.
  const tooEarly = assistant.getByText("That click did not count");
  const added = answer.filter({ hasText: "is on the list" });
  await added.or(tooEarly).waitFor();
  if (await tooEarly.isVisible()) await allow.click();
  await added.waitFor();
  assert.equal(await tasks.last().textContent(), "Buy tea");

  // A reloaded app finds its assistant again, and puts its own words into the field.
  await app.reload();
  await app.getByRole("status").filter({ hasText: "connected." }).waitFor();
  await click("Ask what is open");
  await assistant.getByText(`From ${address}`).waitFor();
  assert.equal(await fieldOf(assistant).inputValue(), "Which tasks are open?");
  assert.equal(app.context().pages().length, 3);
});
