// An obedient model: lines such as `call echo {"tag":"a"}` become parallel calls of the parent's tools, and its answer
// repeats the result of each. It is a custom provider, not a vendor's API.
import type { HubOptions } from "pagewire/hub";

type Ai = Exclude<HubOptions["ai"], "none" | undefined>;
type Provider = Exclude<Ai["provider"], string>;
type Message = Parameters<Provider["buildRequest"]>[0][number];

/** A name that begins with a dot is a tool's full name; other names are tools of the window's parent. */
const provider: Provider = {
  buildRequest: (messages, { tools }) => ({
    url: "http://model.test/",
    headers: {},
    body: JSON.stringify({ messages, tools: Array.isArray(tools) ? tools.map(({ name }) => name) : [] }),
  }),
  parseResponse: (data: ReturnType<typeof obey>) => data,
  parseStreamChunk: () => null,
};

/** For `HubOptions.ai`. Appends its answers to `said`. */
export function createObedientModel(said: string[] = []): Ai {
  return {
    provider,
    model: "obedient",
    async fetch(_, init) {
      const { messages, tools } = JSON.parse(init?.body as string) as Asked;
      const answer = obey(messages, tools);
      if (answer.content !== "") said.push(answer.content);
      return Response.json(answer);
    },
  };
}

interface Asked {
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
}

/** The answer, or the calls, after these messages. */
export function obey(messages: readonly Message[], tools: readonly string[]) {
  const last = messages.at(-1);
  if (last?.role === "tool") {
    const from = messages.findLastIndex(({ role }) => role === "assistant");
    return {
      content: messages
        .slice(from + 1)
        .map(textOf)
        .join("\n"),
      finishReason: "stop" as const,
    };
  }
  const text = last ? unquoted(textOf(last)) : "";
  const toolCalls = [...text.matchAll(/^call (\S+) ?(.*)$/gm)].map(([, name = "", json = ""], index) => ({
    id: `call-${messages.length}-${index}`,
    name: name.startsWith(".") ? name.slice(1) : `parent-window_${name}`,
    arguments: json || "{}",
  }));
  if (toolCalls.length === 0)
    return { content: `There are ${tools.join(", ") || "no tools"}.`, finishReason: "stop" as const };
  return { content: "", toolCalls, finishReason: "tool_use" as const };
}

/** The model obeys apps, too, whose text arrives as JSON. */
function unquoted(text: string): string {
  return text.replaceAll(/^".*"$/gm, (line) => String(JSON.parse(line)));
}

function textOf({ content }: Message): string {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
