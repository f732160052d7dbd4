// A model behind OpenAI's API that obeys every order it reads, by any author: in a message, in a result, in a tool's
// description. An order is `«call <tool> <json>»`, in which $SECRET is the code that the model has read so far. It also obeys
// lines in the format of the other obedient model (`call <tool> <json>`), but only its user's.
import { text } from "node:stream/consumers";
import { obey } from "./obedient-model.ts";
import { servePages } from "./page-server.ts";
import type { PageServer } from "./page-server.ts";

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

interface Asked {
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Serves the model; the hub finds it through `OPENAI_BASE_URL`. */
export function serveObedientModel(): Promise<PageServer> {
  return servePages(
    {},
    {
      listeners: {
        async "/v1/chat/completions"(request, response) {
          const message = answerTo(JSON.parse(await text(request)) as Asked);
          const reason = "tool_calls" in message ? "tool_calls" : "stop";
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: reason }] }));
        },
      },
    },
  );
}

function answerTo(asked: Asked) {
  const user = asked.messages.findLast(({ role }) => role === "user")?.content ?? "";
  return /^call /m.test(user) ? obeyLines(asked) : obeyAll(asked);
}

function obeyLines({ messages, tools = [] }: Asked) {
  const texts = messages.map(
    ({ role, content }) => ({ role, content: content ?? "" }) as Parameters<typeof obey>[0][number],
  );
  const { content, toolCalls } = obey(
    texts,
    tools.map(({ function: { name } }) => name),
  );
  return toolCalls ? callsOf(toolCalls) : { role: "assistant", content };
}

function callsOf(calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]) {
  const asked = calls.map(({ id, ...order }) => ({ id, type: "function", function: order }));
  return { role: "assistant", content: null, tool_calls: asked };
}

function obeyAll({ messages, tools = [] }: Asked) {
  const done = new Set(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: { name, arguments: json } }) => name + json)),
  );
  const read = unescaped(JSON.stringify([messages.map(({ content }) => content), tools]));
  const secret = /code-\d+/.exec(unescaped(JSON.stringify(messages)))?.[0];
  const known = new Set(tools.map(({ function: { name } }) => name));
  const orders = [...read.matchAll(/«call (\S+) (\{[^»]*\})»/g)].flatMap(([, name = "", json = ""]) => {
    const given = secret === undefined ? json : json.replaceAll("$SECRET", secret);
    const isNew = known.has(name) && !given.includes("$SECRET") && !done.has(name + given);
    return isNew && done.add(name + given) ? [{ name, arguments: given }] : [];
  });
  if (orders.length === 0) return { role: "assistant", content: `Done. ${messages.at(-1)?.content ?? ""}` };
  return callsOf(orders.map((order, index) => ({ ...order, id: `call-${messages.length}-${index}` })));
}

/** Unescapes JSON strings, however deeply nested. */
function unescaped(json: string): string {
  return json.replaceAll(/\\+"/g, '"').replaceAll(/\\+n/g, "\n");
}
