import { resolve } from "node:path";
import { defineCommand, hubOptions } from "../common/command.ts";
import { exitCodeOfError } from "../common/exit-codes.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { hint, problem, well } from "../doctor/finding.ts";
import type { Finding } from "../doctor/finding.ts";
import { oneLine } from "../common/plain-text.ts";
import type { Style } from "../common/printer.ts";
import { indent } from "../console/layout.ts";
import { openState, stateDirectory } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { defaultPort, hubToken, isLoopback, namedHub } from "../reach-hub/find-hub.ts";
import type { FoundHub, HubChoice } from "../reach-hub/find-hub.ts";
import type { Io } from "../common/io.ts";
import { examineClients } from "../doctor/examine-clients.ts";
import { examineConnection, examineHub } from "../doctor/examine-hub.ts";
import { examineMcp } from "../doctor/examine-mcp.ts";
import { examineShells, examineTerminals } from "../doctor/examine-terminals.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Diagnose problems and say how to fix them.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    project: { type: "string", value: "DIR", summary: "Whose clients to look at too; else the current folder's." },
    ...hubOptions,
  },
  notes: [
    "It asks the programs that it finds on the PATH, such as claude, codex or gemini, what they make of Pagewire: each gets copies of its settings and half a minute. It changes nothing. It exits with 0 if all is well, with 3 if there is no hub, with 4 if the hub refuses the token, else with 1.",
  ],
  examples: ["pagewire doctor", "pagewire doctor --json"],
  async run({ io, printer, values }) {
    const findings = await examine(values, io, resolve(values.project ?? "."));
    const width = io.stdout.columns || Infinity;
    if (printer.json) printer.data({ findings });
    else for (const line of findings.flatMap((finding) => render(finding, printer.out, width))) printer.line(line);
    return exitCodeOf(findings);
  },
});

function exitCodeOf(findings: readonly Finding[]): ExitCode {
  return findings.find(({ state }) => state === "problem")?.exitCode ?? 0;
}

function render({ state, message, advice = [] }: Finding, style: Style, width: number): readonly string[] {
  const marks = {
    well: style.green("ok  "),
    hint: style.cyan("hint"),
    warning: style.yellow("warn"),
    problem: style.red("fix "),
  };
  return [
    ...after(marks[state], indent(oneLine(message), 5, width)),
    ...advice.flatMap((line) => after(`     ${style.dim("->")}`, indent(oneLine(line), 8, width))),
  ];
}

/** Puts a mark into the space before the first line. */
function after(mark: string, [first = "", ...more]: readonly string[]): readonly string[] {
  return [`${mark} ${first.trimStart()}`, ...more];
}

/** All findings, good and bad. */
async function examine(choice: HubChoice, io: Io, project: string): Promise<readonly Finding[]> {
  const { environment, platform, homeDirectory } = io;
  const opened = attempt(() => openState(stateDirectory(environment, platform, homeDirectory)));
  if ("error" in opened) return [problem("state", opened.error)];
  const state = opened.value;
  const origins = attempt(state.allowedOrigins);
  const before = [
    well("state", `The state is kept in ${state.directory}.`),
    tokenFinding(io, state),
    originsFinding(origins, io),
  ];
  // The health check needs no token.
  const url = `http://127.0.0.1:${defaultPort}`;
  const named = attempt((): FoundHub => namedHub(choice, io, state) ?? { url: state.runningHub()?.url ?? url });
  if ("error" in named) return [...before, problem("hub", named.error)];
  const found = named.value;
  const hub = await examineHub(found.url, state);
  const clients = (proven?: { readonly token: string; readonly tools: readonly string[] }) =>
    examineClients(io, project, { url: found.url, ...proven });
  if (hub.some((finding) => finding.state === "problem")) {
    // The shells of a hub elsewhere would run there.
    const shells = isLoopback(found.url) ? await examineShells({ io }) : [];
    return [...before, ...hub, ...shells, ...(await clients())];
  }
  const token = attempt(() => (found.context ? undefined : hubToken(found.url, io, state)));
  if ("error" in token) {
    return [...before, ...hub, problem("connection", token.error, { exitCode: token.exitCode }), ...(await clients())];
  }
  const allowed = "value" in origins ? origins.value : [];
  const refused = state.refusedOrigins().filter(({ origin }) => !allowed.includes(origin));
  const access = await accessHub(found, io, state).catch((error: unknown) => ({ error }));
  if ("error" in access) {
    const failed = problem("connection", messageOf(access.error), { exitCode: exitCodeOfError(access.error) });
    return [...before, ...hub, failed, ...(await clients())];
  }
  const secret = token.value ?? access.token;
  const connection = await examineConnection({ hub: found.url, token: secret, access, io }, refused);
  // Whom the hub does not let in, its MCP endpoint does not let in either.
  const isIn = connection.every((finding) => finding.state !== "problem");
  const { findings: mcp, tools } = isIn ? await examineMcp(access) : { findings: [], tools: [] };
  const terminals = isIn ? await examineTerminals({ ...access, io, state }) : [];
  return [
    ...before,
    ...hub,
    ...connection,
    ...terminals,
    ...mcp,
    ...(await clients(isIn ? { token: secret, tools } : undefined)),
  ];
}

type Attempt<Value> = { readonly value: Value } | { readonly error: string; readonly exitCode: ExitCode };

function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { value: read() };
  } catch (error) {
    return { error: messageOf(error), exitCode: exitCodeOfError(error) };
  }
}

function tokenFinding({ environment }: Io, state: State): Finding {
  if (environment["PAGEWIRE_TOKEN"]) return well("token", "The token comes from PAGEWIRE_TOKEN.");
  const token = attempt(state.agentToken);
  if ("error" in token) return problem("token", token.error, { exitCode: 4 });
  return well("token", `The token is in ${state.tokenPath}, for you alone.`);
}

function originsFinding(origins: Attempt<readonly string[]>, { environment }: Io): Finding {
  if ("error" in origins) return problem("origins", origins.error);
  // A JSON Web Token is for a hub in jwt mode, which requires tokens from pages, too.
  if (environment["PAGEWIRE_TOKEN"]?.startsWith("eyJ"))
    return well("origins", "Pages can offer tools that bring a token which the app's server signed for them.");
  if (origins.value.length > 0)
    return well("origins", `Pages of these origins can offer tools: ${origins.value.join(", ")}.`);
  return hint(
    "origins",
    "Only the hub's own pages and its demo can offer tools.",
    "Let pages of another origin with: npx pagewire allow http://localhost:5173",
  );
}
