// A list of the hub's that comes in pages, as a table.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, Loading, Problem } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useAnswer, useChange } from "../../../common/src/session/use-answer.ts";

export interface List<Row> {
  /** Undefined until they were read. */
  readonly rows: readonly Row[] | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  read(): void;
  /** Undefined where all are there. */
  more: (() => void) | undefined;
}

/** The beginning of the next page; missing on the last one. */
interface NextPage {
  readonly next?: string;
  readonly before?: string | null;
}

type Page<Row> = Readonly<Record<string, readonly Row[]>> & NextPage;

/** Reads a list, which the answers have by this name. After a change, `read` shows its first page again. */
export function useList<Row>(session: Pick<Session, "request">, path: string, name: string): List<Row> {
  const { value: first, error, read } = useAnswer<Page<Row>>(session, path);
  /** The pages after this first one: none after another. */
  const [later, setLater] = useState<{ readonly first?: Page<Row>; readonly pages: readonly Page<Row>[] }>({
    pages: [],
  });
  const [busy, change] = useChange();
  const all = first && [first, ...(later.first === first ? later.pages : [])];
  const { next, before }: NextPage = all?.at(-1) ?? {};
  const place =
    next === undefined ? before && `before=${encodeURIComponent(before)}` : `after=${encodeURIComponent(next)}`;
  const readMore = async () => {
    const page = await session.request("GET", `${path}${path.includes("?") ? "&" : "?"}${place}`);
    if (all) setLater({ first: first, pages: [...all.slice(1), page as Page<Row>] });
  };
  return {
    ...{ error, read },
    rows: all?.flatMap((page) => page[name] ?? []),
    busy: busy !== undefined,
    more: place ? () => change("more", readMore) : undefined,
  };
}

export interface RowsProps<Row> {
  readonly label: string;
  readonly list: List<Row>;
  readonly titles: readonly string[];
  readonly keyOf: (row: Row) => string;
  /** The cells of a row; the first names it. */
  readonly cells: (row: Row) => readonly ComponentChildren[];
  readonly empty: string;
}

export function Rows<Row>({ label, list, titles, keyOf, cells, empty }: RowsProps<Row>) {
  const { rows, error, busy, read, more } = list;
  const [place, keepFocus] = useKeptFocus(rows);
  const problem = error ? <Problem title={`${label} cannot be read`} error={error} onRetry={read} /> : null;
  if (!rows) return problem ?? <Loading />;
  return (
    <div class="rules-rows" ref={place} tabIndex={-1} onFocusCapture={keepFocus}>
      {problem}
      {rows.length === 0 ? (
        <p class="hint">{empty}</p>
      ) : (
        <div class="box rules-scroll" role="region" aria-label={label} tabIndex={0}>
          <table class="rules-table">
            <thead>
              <tr>
                {titles.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => {
                const [first, ...others] = cells(row);
                return (
                  <tr key={keyOf(row)}>
                    <th scope="row">{first}</th>
                    {others.map((cell, index) => (
                      <td key={index}>{cell}</td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {more && (
        <p>
          <Button busy={busy} onClick={more}>
            Show more
          </Button>
        </p>
      )}
    </div>
  );
}

/** If the row with the focused button is removed, the list gets the focus. */
function useKeptFocus(rows: unknown) {
  const place = useRef<HTMLDivElement>(null);
  const last = useRef<EventTarget>(undefined);
  useLayoutEffect(() => {
    if (last.current instanceof Element && !last.current.isConnected && document.activeElement === document.body)
      place.current?.focus();
  }, [rows]);
  return [place, ({ target }: FocusEvent) => void (last.current = target ?? undefined)] as const;
}
