import type { AiAgent, AiMessage, AiToolCallState } from "pagewire/ai-agent";
import { render } from "preact";
import { Button } from "../../../../../common/src/ui/button.tsx";
import { byId } from "../../dom.ts";

const changes = ["messages", "content", "tool-calls", "streaming", "loading", "connection"];

/** A question to the hub's model, which uses the page's tools to answer; hidden where the hub has no model. */
export function mountAskPanel(agent: AiAgent): void {
  const panel = byId("ask", HTMLElement);
  const list = byId("turns", HTMLElement);
  const problem = byId("ask-problem", HTMLElement);
  const form = byId("ask-form", HTMLFormElement);
  const field = byId("ask-field", HTMLInputElement);
  const stop = byId("ask-stop", HTMLButtonElement);
  const clear = byId("ask-clear", HTMLButtonElement);

  function draw(): void {
    const { connection, loading, error } = agent;
    const turns = turnsOf(agent);
    if (connection === "open") panel.hidden = false;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    const items = turns.map((turn, index) => <TurnItem key={index} turn={turn} agent={agent} />);
    render(items, list);
    if (isAtEnd) list.scrollTop = list.scrollHeight;
    list.hidden = turns.length === 0;
    clear.hidden = loading || turns.length === 0;
    stop.hidden = !loading;
    problem.textContent = error === null ? "" : "message" in error ? error.message : error.body;
  }

  for (const name of changes) agent.addEventListener(`ai-agent:${name}-changed`, draw);
  agent.addEventListener("ai-agent:error", draw);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    agent.prompt = field.value;
    field.value = "";
    agent.trigger = true;
  });
  stop.addEventListener("click", () => agent.abort());
  clear.addEventListener("click", () => {
    agent.messages = [];
    field.focus();
  });
  draw();
}

function TurnItem({ turn: { kind, text, callId }, agent }: { readonly turn: Turn; readonly agent: AiAgent }) {
  const settle = (isAllowed: boolean) => () => void agent.settleToolCall(callId ?? "", isAllowed);
  return (
    <li class={`turn ${kind}`}>
      {text}
      {callId !== undefined && (
        <>
          <Button onClick={settle(true)}>Allow</Button>
          <Button onClick={settle(false)}>Refuse</Button>
        </>
      )}
    </li>
  );
}

/** One line of the conversation as the panel shows it. */
interface Turn {
  readonly kind: "asked" | "answered" | "used" | "waiting";
  readonly text: string;
  /** The tool call that waits for the user's word. */
  readonly callId?: string;
}

/** The messages, the tools that were used for them, and at the end the current activity. */
function turnsOf(agent: Pick<AiAgent, "messages" | "content" | "loading" | "toolCalls">): readonly Turn[] {
  const { messages, content, loading, toolCalls } = agent;
  const said = messages.flatMap(turnsOfMessage);
  if (!loading) return said;
  const isSaid = messages.at(-1)?.role === "assistant";
  const saying: readonly Turn[] = content && !isSaid ? [{ kind: "answered", text: content }] : [];
  return [...said, ...saying, ...toolCalls.filter(({ status }) => status === "waiting").map(turnOfWaiting)];
}

function turnsOfMessage({ role, content, toolCalls = [] }: AiMessage): readonly Turn[] {
  const text =
    typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (role === "user") return [{ kind: "asked", text }];
  if (role !== "assistant") return [];
  const used = toolCalls.map((call): Turn => ({ kind: "used", text: `Used ${call.name}` }));
  return text === "" ? used : [{ kind: "answered", text }, ...used];
}

function turnOfWaiting({ id, name, approval }: AiToolCallState): Turn {
  const what = JSON.stringify(approval?.arguments ?? {});
  return { kind: "waiting", text: `May it use ${approval?.title ?? name} with ${what}?`, callId: id };
}
