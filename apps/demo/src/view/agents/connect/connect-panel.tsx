import { render } from "preact";
import { CommandLine } from "../../../../../common/src/ui/command-line.tsx";
import { Segments } from "../../../../../common/src/ui/segments.tsx";
import type { PageCalls } from "../../../state/agents/page-calls.ts";
import type { BrowserStorage } from "../../../state/browser-storage.ts";
import { byId } from "../../dom.ts";

const firstQuestion = "What were our best days last month?";

export interface ConnectPanelOptions {
  readonly calls: Pick<PageCalls, "onCall">;
  readonly hub: string;
  readonly storage: BrowserStorage;
}

/** How to connect an agent: it invites until one has called, and then folds itself away. */
export function mountConnectPanel({ calls, hub, storage }: ConnectPanelOptions): void {
  const panel = byId("connect", HTMLDetailsElement);
  const place = byId("clients", HTMLElement);
  const told = document.querySelector<HTMLMetaElement>("meta[name=pagewire-clients]");
  const choices = clientChoices({ hub, lines: parseClientLines(told?.content) });
  const options = choices.map(({ id, title }) => ({ value: id, label: title }));

  function draw(chosen: string): void {
    const choose = (id: string): void => {
      storage.write("client", id);
      draw(id);
    };
    render(
      <>
        <Segments label="Your agent" options={options} value={chosen} onValue={choose} />
        <div class="client-panes" id="client-panes">
          {choices.map(({ id, steps, afterwards }) => (
            // All of them lie in one place, which is as high as the highest: choosing moves nothing.
            <div key={id} class={id === chosen ? "client-pane chosen" : "client-pane"}>
              {steps.map(({ text, code }) => (
                <>
                  <p class="hint">{text}</p>
                  <CommandLine text={code} />
                </>
              ))}
              <p class="hint">{afterwards}</p>
            </div>
          ))}
        </div>
        <p class="hint">And ask it:</p>
        <div id="first-question">
          <CommandLine text={firstQuestion} />
        </div>
      </>,
      place,
    );
  }

  const kept = storage.read("client");
  draw(choices.find(({ id }) => id === kept)?.id ?? "claude-code");
  stepBackAfterCall(panel, calls);
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

// The text to paste into each client so that it reaches this page's hub, as the hub reports it: `pagewire connect` makes the
// lines.

/** One step; `code` is pasted unchanged. */
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
