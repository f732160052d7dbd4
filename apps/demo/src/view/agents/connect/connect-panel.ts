import type { PageCalls } from "../../../state/agents/page-calls.ts";
import type { BrowserStorage } from "../../../state/browser-storage.ts";
import type { Announce } from "../../announcer.ts";
import { byId, html, show } from "../../dom.ts";
import { showSegments } from "../../controls.ts";
import { commandBox } from "../command-box.ts";

const firstQuestion = "What were our best days last month?";

export interface ConnectPanelOptions {
  readonly calls: Pick<PageCalls, "onCall">;
  readonly hub: string;
  readonly storage: BrowserStorage;
  readonly announce: Announce;
}

/** How to connect an agent: it invites until one has called, and then folds itself away. */
export function mountConnectPanel({ calls, hub, storage, announce }: ConnectPanelOptions): void {
  const panel = byId("connect", HTMLDetailsElement);
  const segments = byId("clients", HTMLElement);
  const told = document.querySelector<HTMLMetaElement>("meta[name=pagewire-clients]");
  const choices = clientChoices({ hub, lines: parseClientLines(told?.content) });
  const panes = choices.map((choice) => createPane(choice, announce));
  // All of them lie in one place, which is as high as the highest: choosing moves nothing.
  show(byId("client-panes", HTMLElement), ...panes);
  show(byId("first-question", HTMLElement), commandBox(firstQuestion, announce));

  function choose(id: string): void {
    showSegments(segments, {
      choices: choices.map((choice) => ({ value: choice.id, label: choice.title })),
      chosen: id,
      choose(value) {
        storage.write("client", value);
        choose(value);
      },
    });
    choices.forEach((choice, index) => panes[index]?.classList.toggle("chosen", choice.id === id));
  }

  const kept = storage.read("client");
  choose(choices.find(({ id }) => id === kept)?.id ?? "claude-code");
  stepBackAfterCall(panel, calls);
}

function createPane({ steps, afterwards }: ClientChoice, announce: Announce): HTMLElement {
  const boxes = steps.flatMap(({ text, code }) => [html("p", { class: "hint" }, text), commandBox(code, announce)]);
  return html("div", { class: "client-pane" }, ...boxes, html("p", { class: "hint" }, afterwards));
}

/** Never while the user is using it: the next call tries again. */
function stepBackAfterCall(panel: HTMLDetailsElement, calls: Pick<PageCalls, "onCall">): void {
  const isUsed = (): boolean => document.hasFocus() && panel.matches(":hover, :focus-within");
  calls.onCall(() => {
    if (panel.classList.contains("stepped-back") || isUsed()) return;
    if (panel.contains(document.activeElement)) panel.querySelector("summary")?.focus({ preventScroll: true });
    panel.classList.add("stepped-back");
    panel.open = false;
    byId("connect-title", HTMLElement).textContent = "Connect another agent";
  });
}

// What to paste into which client so that it reaches this page's hub, as the hub says it: `pagewire connect` makes the
// lines.

/** One thing to do; `code` is to be pasted as it stands. */
interface ConnectStep {
  readonly text: string;
  readonly code: string;
}

/** A program that can be connected. */
interface ClientChoice {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly ConnectStep[];
  /** Further steps. */
  readonly afterwards: string;
}

interface ClientsOptions {
  /** The hub's address. */
  readonly hub: string;
  /** The line for each client, by its id. */
  readonly lines: ReadonlyMap<string, string>;
}

/** Every choice, the one that most have first. None of the lines holds a token. */
export function clientChoices({ hub, lines }: ClientsOptions): readonly ClientChoice[] {
  const lineOf = (id: string): string => lines.get(id) ?? `npx pagewire connect ${id}`;
  const choice = (id: string, title: string, afterwards: string) => ({
    id,
    title,
    steps: [{ text: "Run this, in any folder:", code: lineOf(id) }],
    afterwards,
  });
  return [
    choice("claude-code", "Claude Code", "Then start Claude Code again. There, /mcp shows pagewire as connected."),
    choice("cursor", "Cursor", "It writes ~/.cursor/mcp.json. Then restart Cursor: its settings list pagewire."),
    choice("vscode", "VS Code", "It writes your profile's mcp.json. Then start pagewire from MCP: List Servers."),
    choice("codex", "Codex", "Then start Codex again. There, /mcp lists pagewire and its tools."),
    choice("inspector", "Inspector", "It lists the page's tools. It needs Node 22.19 or newer."),
    {
      id: "other",
      title: "Other",
      steps: [
        { text: "A client that starts a program:", code: lines.get("other") ?? "npx pagewire mcp" },
        { text: "One that takes an address and a token:", code: `${hub}/mcp` },
      ],
      afterwards: "npx pagewire token show prints the token.",
    },
  ];
}

/** The lines that the hub wrote into the page; none where it wrote nothing that can be read. */
export function parseClientLines(told: string | undefined): ReadonlyMap<string, string> {
  try {
    const entries = Object.entries(Object(JSON.parse(told ?? "{}")) as object);
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map();
  }
}
