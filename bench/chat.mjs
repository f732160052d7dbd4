// The size of a chat in a page, and the time until it is there: <ai-chat> beside the chats that people embed today.
//   npm i --prefix /tmp/peers deep-chat @assistant-ui/react @assistant-ui/react-markdown react react-dom
//   node bench/chat.mjs /tmp/peers
// The peers are large, so they are no dependencies of the bench; without their folder it measures <ai-chat> alone.
import { createServer } from "node:http";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { chromium } from "playwright";
import { findChromium } from "../scripts/find-chromium.mjs";
import { root } from "../scripts/lib/root.mjs";

const runs = 9;
const slowdown = 4;

const assistantUi = `
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive, useLocalRuntime } from "@assistant-ui/react";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
const adapter = { run: async () => ({ content: [{ type: "text", text: "**Hello**" }] }) };
const Text = () => h(MarkdownTextPrimitive);
const Message = () => h(MessagePrimitive.Root, null, h(MessagePrimitive.Parts, { components: { Text } }));
function App() {
  const runtime = useLocalRuntime(adapter);
  return h(AssistantRuntimeProvider, { runtime }, h(ThreadPrimitive.Root, null, h(ThreadPrimitive.Viewport, null,
    h(ThreadPrimitive.Messages, { components: { Message } }),
    h(ComposerPrimitive.Root, null, h(ComposerPrimitive.Input, { autoFocus: true }), h(ComposerPrimitive.Send, null, "Send")))));
}
createRoot(document.body.appendChild(document.createElement("main"))).render(h(App));`;

const chunk = { choices: [{ index: 0, delta: { content: "**Hello**" }, finish_reason: "stop" }] };
const answer = JSON.stringify(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
const own = `
import "pagewire/ai-chat";
const chat = Object.assign(document.createElement("ai-chat"), { provider: "openai", model: "m", baseUrl: "http://model.test" });
chat.fetch = async () => new Response(${answer}, { headers: { "content-type": "text/event-stream" } });
document.body.append(chat);`;

const deepChat = `
import "deep-chat";
const chat = document.createElement("deep-chat");
chat.connect = { handler: (body, signals) => signals.onResponse({ text: "**Hello**" }) };
document.body.append(chat);`;

const peers = process.argv[2] && resolve(process.argv[2]);
const chats = [
  { name: "<ai-chat>", source: own, folder: root },
  ...(peers
    ? [
        { name: version("deep-chat"), source: deepChat, folder: peers },
        { name: version("@assistant-ui/react"), source: assistantUi, folder: peers },
      ]
    : []),
];

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
try {
  for (const chat of chats) console.log(await measure(chat));
} finally {
  await browser.close();
}

function version(name) {
  const path = join(peers, "node_modules", name, "package.json");
  if (!existsSync(path)) throw new Error(`${name} is not in ${peers}: see the head of this file.`);
  return `${name} ${JSON.parse(readFileSync(path, "utf8")).version}`;
}

/** A chat's bytes and times: medians of some runs on a processor that is slowed down, as on a phone. */
async function measure({ name, source, folder }) {
  const { files, atOnce } = await bundle(source, folder);
  const page = `<!doctype html><html lang="en"><title>Chat</title><script type="module" src="/entry.js"></script><body></body></html>`;
  const server = createServer(({ url }, response) => {
    const file = files.get(url);
    response.setHeader("content-type", file ? "text/javascript" : "text/html").end(file ?? page);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const results = [];
  for (let run = 0; run < runs; run += 1) results.push(await open(`http://127.0.0.1:${server.address().port}/`, files));
  server.close();
  const median = (key) => results.map((one) => one[key]).toSorted((one, other) => one - other)[Math.floor(runs / 2)];
  return {
    name,
    "KB at once": kilobytes(atOnce),
    "KB with an answer": kilobytes(median("bytes")),
    "ms to first paint": Math.round(median("paint")),
    "ms to the field": Math.round(median("field")),
  };
}

function kilobytes(bytes) {
  return Math.round(bytes / 102.4) / 10;
}

/** The bundle's files by their addresses, and how many bytes a browser loads before any of it runs. */
async function bundle(source, folder) {
  const entry = join(folder, "bench-chat-entry.mjs");
  writeFileSync(entry, source);
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: { entry },
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      define: { "process.env.NODE_ENV": '"production"' },
      metafile: true,
      outdir: join(folder, "out"),
      write: false,
      logLevel: "error",
    });
    const out = join(folder, "out");
    const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(out.length), Buffer.from(contents)]));
    const outputs = Object.entries(metafile.outputs);
    const loaded = new Set(outputs.flatMap(([path]) => (basename(path) === "entry.js" ? [path] : [])));
    for (const path of loaded) {
      const statically = metafile.outputs[path].imports.filter(({ kind }) => kind === "import-statement");
      for (const one of statically) loaded.add(one.path);
    }
    const atOnce = [...loaded].reduce((sum, path) => sum + gzipSync(files.get(`/${basename(path)}`)).length, 0);
    return { files, atOnce };
  } finally {
    rmSync(entry);
  }
}

async function open(url, files) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  let bytes = 0;
  page.on("request", (request) => {
    const file = files.get(new URL(request.url()).pathname);
    if (file) bytes += gzipSync(file, { level: 9 }).length;
  });
  await page.addInitScript(() => {
    const look = () => {
      const inside = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
      const fields = inside.flatMap((one) => [...one.querySelectorAll("textarea, [contenteditable=true]")]);
      globalThis.field = fields.find((one) => one.checkVisibility());
      if (globalThis.field) globalThis.fieldAt = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  });
  await page.goto(url);
  await page.waitForFunction(() => globalThis.fieldAt !== undefined);
  const { paint, field } = await page.evaluate(async () => {
    while (performance.getEntriesByName("first-contentful-paint").length === 0)
      await new Promise((done) => setTimeout(done, 20));
    return {
      paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
      field: globalThis.fieldAt,
    };
  });
  await page.evaluate(() => globalThis.field.focus());
  await page.keyboard.type("Hi");
  await page.keyboard.press("Enter");
  await page.getByText("Hello").first().waitFor();
  await page.locator("strong").first().waitFor();
  await context.close();
  return { bytes, paint, field };
}
