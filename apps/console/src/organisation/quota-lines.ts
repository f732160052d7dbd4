// The quotas of an organisation as lines that people read and change one by one, and as the hub has them: docs/reference/team.md.

type Amount = number | "unlimited";

export interface Amounts {
  readonly day?: Amount;
  readonly month?: Amount;
}

interface Shares {
  readonly each?: Amounts;
  readonly all?: Amounts;
}

export interface QuotaSet extends Shares {
  readonly groups?: Readonly<Record<string, Shares>>;
  readonly people?: Readonly<Record<string, Amounts>>;
}

/** Whom a quota is for: each person, all people together, each or all in a group, one person. */
export interface Whom {
  readonly kind: "each" | "all" | "group-each" | "group-all" | "person";
  /** The group or the person; else empty. */
  readonly name: string;
}

export interface QuotaLine extends Whom {
  readonly amounts: Amounts;
}

export function linesOf({ each, all, groups = {}, people = {} }: QuotaSet): readonly QuotaLine[] {
  return [
    ...lineOf({ kind: "each", name: "" }, each),
    ...lineOf({ kind: "all", name: "" }, all),
    ...Object.entries(groups).flatMap(([name, shares]) => [
      ...lineOf({ kind: "group-each", name }, shares.each),
      ...lineOf({ kind: "group-all", name }, shares.all),
    ]),
    ...Object.entries(people).flatMap(([name, amounts]) => lineOf({ kind: "person", name }, amounts)),
  ];
}

function lineOf(whom: Whom, amounts: Amounts | undefined): readonly QuotaLine[] {
  return amounts && Object.keys(amounts).length > 0 ? [{ ...whom, amounts }] : [];
}

/** The quotas with these amounts in their line, or without the line if it has none. */
export function withLine(set: QuotaSet, { kind, name, amounts }: QuotaLine): QuotaSet {
  const lines = linesOf(set).filter((line) => line.kind !== kind || line.name !== name);
  return [...lines, ...lineOf({ kind, name }, amounts)].reduce(add, {});
}

function add(set: QuotaSet, { kind, name, amounts }: QuotaLine): QuotaSet {
  const { groups = {}, people = {} } = set;
  if (kind === "each" || kind === "all") return { ...set, [kind]: amounts };
  if (kind === "person") return { ...set, people: { ...people, [name]: amounts } };
  const before = Object.hasOwn(groups, name) ? groups[name] : {};
  const share = kind === "group-each" ? "each" : "all";
  return { ...set, groups: { ...groups, [name]: { ...before, [share]: amounts } } };
}

/** A typed number of tokens; undefined for no limit in that period, null for other text. */
export function amountOf(text: string): Amount | undefined | null {
  const given = text.replaceAll(/[\s,_']/g, "").toLowerCase();
  if (given === "") return undefined;
  if (given === "unlimited") return given;
  return /^\d{1,15}$/.test(given) ? Number(given) : null;
}
