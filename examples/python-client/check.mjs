import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { checkExample } from "../../scripts/lib/example-world.mjs";

const client = fileURLToPath(new URL("pagewire_client.py", import.meta.url));
const folder = fileURLToPath(new URL(".", import.meta.url));

await checkExample(async ({ url, servePage, open, listed, terminalOf }) => {
  const html = readFileSync(new URL("page.html", import.meta.url), "utf8").replace("http://127.0.0.1:7337", url);
  const page = await open(await servePage(html));
  await listed("celebrate");
  const env = { ...(await terminalOf("celebrate")), PYTHONDONTWRITEBYTECODE: "1", PYTHONIOENCODING: "utf-8" };

  const start = (words, more = {}) => spawn("python3", words, { cwd: folder, env: { ...env, ...more } });
  const command = (...words) => ended(start([client, ...words]));
  const script = (text, more) => ended(start(["-c", `import pagewire_client as browser\n${text}`], more));
  const shows = (text) => page.locator("#state", { hasText: text }).waitFor();

  // As a command.
  assert.deepEqual(await command("celebrate", '{"reason": "Grüße"}'), [0, "Celebration triggered!\n", ""]);
  await shows("Celebrated: Grüße");
  const [, list] = await command("--list");
  assert.match(list, /^write_poem {2}Writes a poem, line by line\.$/m);
  assert.deepEqual(await command("write_poem", '{"about": "door"}', "--stream"), [
    0,
    "O door, how door you are.\n",
    "",
  ]);
  const [, json] = await command("write_poem", '{"about": "door"}', "--json");
  assert.deepEqual(JSON.parse(json).structured, { lines: 3, about: "door" });

  // Failures are reported with their code.
  assert.deepEqual(await command("door", '{"action": "shut"}'), [1, "", "Error: It jams. (handler-failed)\n"]);
  assert.match((await command("dance"))[2], /dance.*\(tool-not-found\)/);
  assert.match((await command("write_poem"))[2], /\(input-invalid\)/);
  assert.equal((await command("door", "[1]"))[0], 2);
  assert.match((await command("wait", "{}", "--timeout", "0.2"))[2], /\(deadline-exceeded\)/);

  // As a module: arguments of any name, pieces, progress, the result at the end, and errors by their kind.
  const said = await script(`
print(browser.call("door", {"action": "open"}).text)
steps, results = [], []
pieces = list(browser.stream("write_poem", {"about": "sea"}, on_progress=lambda *step: steps.append(step), on_result=results.append))
print(pieces, steps, results[0].structured)
print(browser.actions()["tab"]["title"], browser.get_browser_id() != "")
try:
    browser.call("dance")
except browser.PagewireError as error:
    print(error.code, error.ran)
`);
  assert.deepEqual(said, [
    0,
    "The door is open.\n" +
      "['O sea, ', 'how sea ', 'you are.'] [(1, 3, None), (2, 3, None), (3, 3, None)] {'lines': 3, 'about': 'sea'}\n" +
      "Poems True\n" +
      "tool-not-found no\n",
    "",
  ]);

  // Ctrl-C cancels in the tab, and so does abandoning a stream.
  const waiting = start([client, "wait"]);
  const interrupted = ended(waiting);
  await shows("Waiting");
  waiting.kill("SIGINT");
  assert.deepEqual(await interrupted, [130, "", ""]);
  await shows("Cancelled");
  const left = await script(`
pieces = browser.stream("wait")
print(next(pieces), browser.call("look").text)
pieces.close()
while browser.call("look").text == "Waiting": pass
print(browser.call("look").text)
`);
  assert.deepEqual(left, [0, "waiting Waiting\nCancelled\n", ""]);

  // Without a hub, or outside of a Pagewire terminal, there is an error message.
  const nowhere = { PAGEWIRE_URL: "http://127.0.0.1:9" };
  const whyNot = (more) =>
    script('try: browser.call("celebrate")\nexcept browser.PagewireError as error: print(error.code)', more);
  assert.deepEqual(await whyNot(nowhere), [0, "hub-unreachable\n", ""]);
  const none = { PAGEWIRE_TERMINAL: "", PAGEWIRE_TERMINAL_TOKEN: "" };
  assert.deepEqual(await whyNot(none), [0, "terminal-not-found\n", ""]);

  // Halves of characters become whole ones, and what is no answer is an error by its name.
  const oddUrl = await serveLines([
    { type: "chunk", delta: "\ud83d" },
    { type: "progress" },
    { type: "chunk", delta: "\ude00 \ud83d" },
    { type: "done", result: { status: "ok", result: "\ud83d" } },
  ]);
  const elsewhere = { PAGEWIRE_URL: oddUrl };
  assert.deepEqual(await ended(start([client, "any", "{}", "--stream"], elsewhere)), [0, "\u{1f600} \ufffd\n", ""]);
  assert.match((await ended(start([client, "any"], elsewhere)))[2], /\(frame-malformed\)\n$/);
  assert.match((await ended(start([client, "--list"], elsewhere)))[2], /\(frame-malformed\)\n$/);
  assert.match((await ended(start([client, "any", "{}", "--key", "a\nb"], elsewhere)))[2], /\(options-invalid\)\n$/);
  assert.match((await ended(start([client, "any", "{}", "--timeout", "-1"], elsewhere)))[2], /\(options-invalid\)\n$/);

  // Without the command on the path, a terminal's environment is enough.
  const python = (await script("import sys; print(sys.executable)"))[1].trim();
  const bare = spawn(python, [client, "celebrate"], { env: { ...env, PATH: "/nowhere" } });
  assert.deepEqual(await ended(bare), [0, "Celebration triggered!\n", ""]);
  console.log("Python had the tab celebrate, write, and stop.");
});

/** A server that answers everything with the same lines; gives its address. */
async function serveLines(lines) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const server = createServer((request, response) => request.resume().on("end", () => response.end(text)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It ends with the process, however that ends.
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}

/** How a program ended: its exit code, and what it wrote to stdout and stderr. */
async function ended(child) {
  const written = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const part of stream.setEncoding("utf8")) text += part;
    return text;
  });
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return [code, ...(await Promise.all(written))];
}
