import { version } from "../../hub/index.ts";
import type { ModelChoice } from "./choose-model.ts";
import type { Printer } from "../common/printer.ts";
import { table } from "../console/layout.ts";

/** The facts for the banner of a hub that has just started. */
export interface Banner {
  readonly url: string;
  /** The address for pages and agents elsewhere, if it is another one: through a proxy. */
  readonly publicUrl: string | undefined;
  /** An address that signs in the first person to open it; undefined where none is to be written down. */
  readonly signIn: string | undefined;
  readonly demo: string | undefined;
  readonly isJwtMode: boolean;
  readonly hasTerminals: boolean;
  readonly model: Pick<ModelChoice, "name" | "key" | "note">;
  /** Why nothing can be saved, where that is so. */
  readonly problem: string | undefined;
  readonly now: Date;
}

/** Prints the hub's addresses and how to use them. */
export function printBanner(banner: Banner, printer: Printer): void {
  const { url, publicUrl, signIn, demo, hasTerminals, model, problem, now } = banner;
  if (printer.json) {
    const reached = publicUrl ?? url;
    const paths = { script: `${reached}/pagewire.js`, mcp: `${reached}/mcp` };
    const about = {
      url,
      public: publicUrl,
      open: signIn,
      demo,
      terminals: hasTerminals,
      ...paths,
      model: model.name,
      key: model.key,
      problem,
      pid: process.pid,
      version,
    };
    return printer.data({ time: now.toISOString(), level: "info", event: "hub-listening", ...about });
  }
  const { bold, green, dim } = printer.out;
  printer.line(
    `${bold(green("Pagewire"))} ${dim(version)} listens on ${bold(url)}${publicUrl === undefined ? "" : `, for others ${bold(publicUrl)}`}`,
  );
  printer.line();
  for (const line of table(rowsOf(banner))) printer.line(`  ${line}`);
  printer.line();
  printer.line(dim("Ctrl-C stops it. More: npx pagewire help"));
}

function rowsOf({
  url,
  publicUrl = url,
  signIn,
  demo,
  isJwtMode,
  hasTerminals,
  model,
  problem,
}: Banner): readonly (readonly string[])[] {
  const forAgents = isJwtMode ? "PAGEWIRE_TOKEN=<token> npx pagewire" : "npx pagewire";
  return [
    ...(problem === undefined ? [] : [["Not saved", `nothing can be saved at the moment: ${problem}`]]),
    ...(signIn === undefined
      ? [["Open", `${forAgents} open`]]
      : [
          ["Open", signIn],
          ["", `which signs you in, once, in the next ten minutes; later on: ${forAgents} open`],
        ]),
    ...(demo === undefined ? [] : [["Try it", `${demo}/`]]),
    ...(hasTerminals
      ? [
          ["Terminals", `on: ${isJwtMode ? "PAGEWIRE_SHELL_KEY=<token> npx pagewire" : "npx pagewire"} terminal`],
          ["", "each is a shell of whoever runs this hub"],
        ]
      : []),
    ["In a page", `<script src="${publicUrl}/pagewire.js" data-app="my-app"></script>`],
    ["For agents", `${forAgents} tools`],
    ["", `${forAgents} call <tool> [json]`],
    ["Through MCP", `${forAgents} connect claude-code`],
    ["", `${publicUrl}/mcp`],
    ["Model", `${model.name}: ${model.note}`],
    isJwtMode
      ? ["Tokens", `signed by your app's server: ${tokenSigners(hasTerminals)} of pagewire/hub`]
      : ["Other origins", "npx pagewire allow http://localhost:5173"],
  ];
}

function tokenSigners(hasTerminals: boolean): string {
  return hasTerminals ? "signPageToken, signAgentToken and signTerminalToken" : "signPageToken and signAgentToken";
}
