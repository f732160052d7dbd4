import { version } from "../hub/index.ts";
import type { ModelChoice } from "./model/choose-model.ts";
import type { Printer } from "./terminal/printer.ts";
import { table } from "./terminal/table.ts";

/** What there is to say of a hub that has just started. */
export interface Banner {
  readonly url: string;
  readonly isJwtMode: boolean;
  readonly model: Pick<ModelChoice, "name" | "key" | "note">;
  readonly now: Date;
}

/** Says where the hub is and what to do with it. */
export function printBanner({ url, isJwtMode, model, now }: Banner, printer: Printer): void {
  const demo = `${url}/demo/`;
  const script = `${url}/pagewire.js`;
  const mcp = `${url}/mcp`;
  if (printer.json) {
    const about = { url, demo, script, mcp, model: model.name, key: model.key, pid: process.pid, version };
    return printer.data({ time: now.toISOString(), level: "info", event: "hub-listening", ...about });
  }
  const { bold, green, dim } = printer.out;
  const forAgents = isJwtMode ? "PAGEWIRE_TOKEN=<token> npx pagewire" : "npx pagewire";
  const rows = [
    // The demo has no server that could sign a token for it.
    ...(isJwtMode ? [] : [["Try it", demo]]),
    ["In a page", `<script src="${script}" data-app="my-app"></script>`],
    ["For agents", `${forAgents} tools`],
    ["", `${forAgents} call <tool> [json]`],
    ["Through MCP", `${forAgents} connect claude-code`],
    ["", mcp],
    ["Model", `${model.name}: ${model.note}`],
    isJwtMode
      ? ["Tokens", "signed by your app's server: signPageToken and signAgentToken of pagewire/hub"]
      : ["Other origins", "npx pagewire allow http://localhost:5173"],
  ];
  printer.line(`${bold(green("Pagewire"))} ${dim(version)} listens on ${bold(url)}`);
  printer.line();
  for (const line of table(rows)) printer.line(`  ${line}`);
  printer.line();
  printer.line(dim("Ctrl-C stops it. More: npx pagewire help"));
}
