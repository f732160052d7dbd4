// What to paste into which client so that it reaches this page's hub, as the hub says it: `pagewire connect` makes the lines.

/** One thing to do; `code` is to be pasted as it stands. */
export interface ConnectStep {
  readonly text: string;
  readonly code: string;
}

/** A program that can be connected. */
export interface ClientChoice {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly ConnectStep[];
  /** What else it takes. */
  readonly afterwards: string;
}

export interface ClientsOptions {
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
