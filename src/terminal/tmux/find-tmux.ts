import { execFile } from "node:child_process";

/** Older versions cannot give a session its own variables before its first shell starts. */
const oldest = 3.2;

/**
 * The tmux to use: false is none, true or undefined the one that PATH has, a text a path. Undefined where there is
 * none.
 */
export async function findTmux(
  wanted: boolean | string | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (wanted === false) return undefined;
  const command = typeof wanted === "string" ? wanted : "tmux";
  const said = await new Promise<string>((resolve) => {
    execFile(command, ["-V"], { env: environment, timeout: 5000 }, (error, stdout) => resolve(error ? "" : stdout));
  });
  const [, version] = /^tmux (?:next-)?(\d+\.\d+)/.exec(said) ?? [];
  return Number(version) >= oldest ? command : undefined;
}
