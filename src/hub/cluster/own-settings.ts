// The settings that a hub itself has, in its files or by its program, as values with names: those that hubs share.
import { parsePolicy } from "../../policy/index.ts";
import type { Policy } from "../../policy/index.ts";
import type { Revocations } from "../identity/revocations.ts";
import type { HubSettings, ResolvedOptions } from "../options/options.ts";

/** `policy` has a text; `origin <origin>`, `id <token>` and `subject <time> <subject>` are there or not, with "". */
export type Named = ReadonlyMap<string, string>;

export const policyName = "policy";

export interface OwnSettings {
  /** A file that cannot be read counts as it was before. */
  read(): Named;
  /** Puts what is in force into the files, except for what another process has changed in them since they were seen so. Throws
   * where one cannot be written; missing where there are none. */
  readonly write: ((seen: Named, wanted: Named) => void) | undefined;
  /** Whether others are revoked than were read, as far as can be said at each use of a token. */
  readonly hasRevoked: boolean;
  /** Why the file of the policy cannot be used. */
  readonly problem: unknown;
}

type Sources = Pick<ResolvedOptions, "settings" | "policy" | "revocations">;

export function createOwnSettings({ settings, policy, revocations }: Sources): OwnSettings {
  let text: string | undefined;
  let problem: unknown;
  let read = countedIn(revocations());

  function readPolicy(files: HubSettings): void {
    problem = undefined;
    try {
      // It checks whose file it is, and waits where an editor is replacing it.
      const found = policy();
      const next = files.policyText();
      if (found && next === undefined) return;
      if (found && next !== undefined) parsePolicy(next);
      text = found && next !== undefined ? wholeLines(next) : undefined;
    } catch (error) {
      problem = error;
    }
  }

  const own: OwnSettings = {
    get problem() {
      return problem;
    },
    get hasRevoked() {
      return countedIn(revocations()).some((each, at) => each !== read[at]);
    },
    read() {
      if (settings) readPolicy(settings);
      const revoked = revocations();
      read = countedIn(revoked);
      return namesOf({ policy: text, origins: settings?.savedOrigins() ?? [], revoked });
    },
    write:
      settings &&
      ((seen, wanted) => {
        const found = own.read();
        const isAsSeen = (name: string) => found.get(name) === seen.get(name);
        writeFiles(settings, differing(seen, wanted).filter(isAsSeen), wanted);
      }),
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

/** The values that were seen, with those that have become as they are wanted. */
export function withWritten(seen: Named, found: Named, wanted: Named): Named {
  const others = new Set(differing(found, wanted));
  const isOurs = ([name]: readonly [string, string]) => !others.has(name);
  return new Map([...[...seen].filter(([name]) => others.has(name)), ...[...found].filter(isOurs)]);
}

function writeFiles(files: HubSettings, changed: readonly string[], wanted: Named): void {
  const isKind = (kind: string) => (name: string) => name.startsWith(`${kind} `);
  if (changed.includes(policyName)) {
    const policy = wanted.get(policyName);
    if (policy === undefined) files.removePolicy();
    else files.setPolicy(policy);
  }
  const origins = changed.filter(isKind("origin"));
  if (origins.length > 0)
    files.changeOrigins?.((saved) =>
      origins.forEach((name) => change(saved, name.slice("origin ".length), wanted.has(name))),
    );
  const revoked = [...changed.filter(isKind("id")), ...changed.filter(isKind("subject"))];
  if (revoked.length > 0)
    files.changeRevocations?.((ids, subjects) => {
      for (const name of revoked) {
        const { subject, time = 0 } = subjectIn(name) ?? {};
        if (subject === undefined) change(ids, name.slice("id ".length), wanted.has(name));
        else if (wanted.has(name)) subjects.set(subject, Math.max(time, subjects.get(subject) ?? 0));
        else if (subjects.get(subject) === time) subjects.delete(subject);
      }
    });
}

function change(names: Set<string>, name: string, isWanted: boolean): void {
  if (isWanted) names.add(name);
  else names.delete(name);
}

/** The part that differs where something else is revoked, but for changes in place that keep the number. */
function countedIn({ ids, subjects }: Revocations): readonly unknown[] {
  return [ids, subjects, ids.size, subjects.size];
}

/** The policy in a text; undefined for one that cannot be used, such as a newer hub's. */
export function usablePolicy(text: string): Policy | undefined {
  try {
    return parsePolicy(text);
  } catch {
    return undefined;
  }
}
