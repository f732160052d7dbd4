// The settings that a hub itself has, in its files or by its program, as values with names: those that hubs share.
import { parsePolicy } from "../../policy/index.ts";
import type { Policy } from "../../policy/index.ts";
import type { Revocations } from "../identity/revocations.ts";
import type { HubSettings, ResolvedOptions } from "../options/options.ts";

/** `policy` has a text; `origin <origin>`, `id <token>` and `subject <time> <subject>` are there or not, with "". */
export type Named = ReadonlyMap<string, string>;

export const policyName = "policy";

export interface OwnSettings {
  /** What cannot be read is as it was before. */
  read(): Named;
  /** Puts what is in force into the files; throws where one cannot be written. Missing where there are none. */
  readonly write: ((wanted: Named) => void) | undefined;
  /** Why the file of the policy cannot be used. */
  problem: unknown;
}

type Sources = Pick<ResolvedOptions, "settings" | "policy" | "revocations">;

export function createOwnSettings({ settings, policy, revocations }: Sources): OwnSettings {
  let text: string | undefined;

  function readPolicy(files: HubSettings): void {
    own.problem = undefined;
    try {
      // It checks whose file it is, and waits where an editor is replacing it.
      const found = policy();
      const next = files.policyText();
      if (found && next === undefined) return;
      if (found && next !== undefined) parsePolicy(next);
      text = found && next !== undefined ? wholeLines(next) : undefined;
    } catch (error) {
      own.problem = error;
    }
  }

  const own: OwnSettings = {
    problem: undefined,
    read() {
      if (settings) readPolicy(settings);
      return namesOf({ policy: text, origins: settings?.savedOrigins() ?? [], revoked: revocations() });
    },
    write: settings && ((wanted) => writeFiles(settings, own.read(), wanted)),
  };
  return own;
}

/** As the command line writes it. */
export function wholeLines(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

interface Content {
  readonly policy: string | undefined;
  readonly origins: readonly string[];
  readonly revoked: Revocations;
}

export function namesOf({ policy, origins, revoked }: Content): Named {
  return new Map([
    ...(policy === undefined ? [] : [[policyName, policy] as const]),
    ...origins.map((origin) => [`origin ${origin}`, ""] as const),
    ...[...revoked.ids].map((id) => [`id ${id}`, ""] as const),
    ...[...revoked.subjects].map(([subject, time]) => [`subject ${time} ${subject}`, ""] as const),
  ]);
}

/** Of several times of a subject the latest counts, since it includes the others. */
export function contentOf(named: Named): Content {
  const origins: string[] = [];
  const ids = new Set<string>();
  const subjects = new Map<string, number>();
  for (const name of named.keys()) {
    const [, kind, rest = ""] = /^(origin|id|subject) (.*)$/s.exec(name) ?? [];
    if (kind === "origin") origins.push(rest);
    if (kind === "id") ids.add(rest);
    const { subject, time } = subjectIn(name) ?? {};
    if (subject !== undefined && time !== undefined) subjects.set(subject, Math.max(time, subjects.get(subject) ?? 0));
  }
  return { policy: named.get(policyName), origins, revoked: { ids, subjects } };
}

/** The subject and the time of the name of a revocation. */
export function subjectIn(name: string): { readonly subject: string; readonly time: number } | undefined {
  const [, time, subject] = /^subject (\d+) (.*)$/s.exec(name) ?? [];
  return subject === undefined ? undefined : { subject, time: Number(time) };
}

/** The names of what differs. */
export function differing(one: Named, other: Named): readonly string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name));
}

function writeFiles(files: HubSettings, found: Named, wanted: Named): void {
  const changed = differing(found, wanted);
  const { policy, revoked } = contentOf(wanted);
  if (changed.includes(policyName)) {
    if (policy === undefined) files.removePolicy();
    else files.setPolicy(policy);
  }
  for (const name of changed) {
    if (!name.startsWith("origin ")) continue;
    const origin = name.slice("origin ".length);
    if (wanted.has(name)) files.allowOrigin(origin);
    else files.disallowOrigin(origin);
  }
  // Another process may revoke at the same time: only what differs is changed.
  const named = changed.filter((name) => name.startsWith("id ") || name.startsWith("subject "));
  if (named.length > 0)
    files.changeRevocations?.((ids, subjects) => named.forEach((name) => change(name, ids, subjects)));

  function change(name: string, ids: Set<string>, subjects: Map<string, number>): void {
    const id = name.slice("id ".length);
    const { subject } = subjectIn(name) ?? {};
    if (subject === undefined) {
      if (wanted.has(name)) ids.add(id);
      else ids.delete(id);
      return;
    }
    const time = revoked.subjects.get(subject);
    if (time === undefined) subjects.delete(subject);
    else subjects.set(subject, time);
  }
}

/** The policy in a text; undefined for one that cannot be used, such as a newer hub's. */
export function usablePolicy(text: string): Policy | undefined {
  try {
    return parsePolicy(text);
  } catch {
    return undefined;
  }
}
