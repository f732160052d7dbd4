// What to paste into which client so that it reaches this page's hub. `pagewire connect <client>` says the
// same, and more; a test holds the two together.

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

/** Where the hub is, and what the browser runs on. */
export interface ConnectPlace {
  /** The hub's address. */
  readonly hub: string;
  readonly isWindows: boolean;
}

/** Every choice, the one that most have first. None of the lines holds a token. */
export function clientChoices({ hub, isWindows }: ConnectPlace): readonly ClientChoice[] {
  const isHere = isLoopback(hub);
  // The hub of one's own machine is found without its address, and started where it does not run.
  const aim = isHere ? "" : ` --hub ${hub}`;
  const start = `npx -y pagewire mcp${aim}`;
  // On Windows npx is a script, which not every client can start by itself.
  const startFromShell = isWindows ? `cmd /c ${start}` : start;
  const write = (client: string): string => `npx pagewire connect ${client} --write${aim}`;
  // The token of another machine's hub is written nowhere.
  const elsewhere = "This hub is on another machine: the client needs its token in PAGEWIRE_TOKEN.";
  const withToken = (text: string): string => (isHere ? text : `${elsewhere} ${text}`);
  return [
    {
      id: "claude-code",
      title: "Claude Code",
      steps: [{ text: "Run this in your project:", code: `claude mcp add pagewire -- ${startFromShell}` }],
      afterwards: withToken("Then start Claude Code anew. There, /mcp shows pagewire as connected."),
    },
    {
      id: "cursor",
      title: "Cursor",
      steps: [{ text: "Run this in your project:", code: write("cursor") }],
      afterwards: withToken("It writes .cursor/mcp.json. Then restart Cursor: its settings list pagewire."),
    },
    {
      id: "vscode",
      title: "VS Code",
      steps: [{ text: "Run this in your project:", code: write("vscode") }],
      afterwards: withToken("It writes .vscode/mcp.json. Then start pagewire from MCP: List Servers."),
    },
    {
      id: "codex",
      title: "Codex",
      steps: [{ text: "Run this, for all your projects:", code: `codex mcp add pagewire -- ${startFromShell}` }],
      afterwards: withToken("Then start Codex anew. There, /mcp lists pagewire and its tools."),
    },
    {
      id: "inspector",
      title: "Inspector",
      steps: [{ text: "Run this:", code: `npx @modelcontextprotocol/inspector --cli ${start} --method tools/list` }],
      afterwards: withToken("It lists the page's tools. It needs Node 22.19 or newer."),
    },
    {
      id: "other",
      title: "Other",
      steps: [
        { text: "A client that starts a program:", code: start },
        { text: "One that takes an address and a token:", code: `${hub}/mcp` },
      ],
      afterwards: isHere ? "npx pagewire token show tells the token." : elsewhere,
    },
  ];
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(localhost|.+\.localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);
}
