import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Column<Row> {
  readonly title: string;
  /** Its track in the CSS grid: "90px", "minmax(0, 2fr)". */
  readonly width?: string;
  /** Numbers stand at the end. */
  readonly isNumber?: boolean;
  /** It is left out where the table is narrower, in px. */
  readonly hideBelow?: number;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The key of the row whose details are open. */
  readonly current?: string | undefined;
  /** A click or Enter. */
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly rowHeight?: number;
  /** Shown in place of rows. */
  readonly empty?: ComponentChildren;
}

/** Rows above and below the visible ones, so that a quick movement shows no gap. */
const spare = 8;

/** A list of any length: only the visible rows are in the document. The arrows, Home, End and the page keys move in it. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, columns, keyOf, current, onOpen, rowHeight = 36, empty } = props;
  const element = useRef<HTMLDivElement>(null);
  const id = useId();
  const view = useView(element);
  const [activeKey, setActiveKey] = useState<string>();
  useAnchor({ element, rows, keyOf, rowHeight });

  const shown = columns.filter(({ hideBelow = 0 }) => view.width >= hideBelow);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const visible = rows.slice(first, Math.ceil((view.top + view.height) / rowHeight) + spare);
  const found = activeKey === undefined ? -1 : visible.findIndex((row) => keyOf(row) === activeKey);
  const activeIndex = found === -1 ? indexOf(activeKey) : first + found;

  function indexOf(key: string | undefined): number {
    return key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key);
  }

  function move(index: number): void {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row || !element.current) return;
    setActiveKey(keyOf(row));
    const { current: scroller } = element;
    const top = rows.indexOf(row) * rowHeight;
    const room = scroller.clientHeight - headHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + rowHeight > scroller.scrollTop + room) scroller.scrollTop = top + rowHeight - room;
  }

  function press(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor((view.height - headHeight) / rowHeight) - 1);
    const target = placeAfter(event.key, { index: activeIndex, page, last: rows.length - 1 });
    const row = rows[activeIndex];
    if (target !== undefined) move(target);
    else if ((event.key === "Enter" || event.key === " ") && row && onOpen) onOpen(row);
    else return;
    event.preventDefault();
  }

  function click(row: Row, { target }: MouseEvent): void {
    setActiveKey(keyOf(row));
    if (target instanceof Element && !target.closest("a, button, input, select, summary")) onOpen?.(row);
  }

  if (rows.length === 0 && empty !== undefined) {
    return (
      <div ref={element} key="table" class="table">
        {empty}
      </div>
    );
  }
  return (
    <div
      ref={element}
      key="table"
      class="table"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={found === -1 ? undefined : `${id}-${activeIndex}`}
      style={{ "--columns": shown.map(({ width = "minmax(0, 1fr)" }) => width).join(" "), "--row": `${rowHeight}px` }}
      onKeyDown={press}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        <Cells columns={shown} role="columnheader" contentOf={({ title }) => title} />
      </div>
      <div class="table-rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {visible.map((row, offset) => {
          const key = keyOf(row);
          const index = first + offset;
          return (
            <div
              key={key}
              id={`${id}-${index}`}
              role="row"
              class={`table-row${onOpen ? " opens" : ""}`}
              aria-rowindex={index + 2}
              aria-selected={onOpen ? key === current : undefined}
              data-active={key === activeKey || undefined}
              style={{ transform: `translateY(${index * rowHeight}px)` }}
              onClick={(event) => click(row, event)}
            >
              <Cells columns={shown} role="gridcell" contentOf={({ cell }) => cell(row)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface CellsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly role: "gridcell" | "columnheader";
  readonly contentOf: (column: Column<Row>) => ComponentChildren;
}

function Cells<Row>({ columns, role, contentOf }: CellsProps<Row>) {
  return (
    <>
      {columns.map((column) => (
        <span key={column.title} role={role} class={column.isNumber ? "number" : undefined}>
          {contentOf(column)}
        </span>
      ))}
    </>
  );
}

/** The place that a key leads to, in a list whose places are counted from 0; it may be past an end. */
function placeAfter(
  key: string,
  { index, page, last }: { readonly index: number; readonly page: number; readonly last: number },
): number | undefined {
  const places: Record<string, number> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: last,
  };
  return places[key];
}

const headHeight = 32;

interface View {
  readonly top: number;
  readonly height: number;
  readonly width: number;
}

/** The visible part of a scroller. */
function useView(element: { readonly current: HTMLElement | null }): View {
  const [view, setView] = useState<View>({ top: 0, height: 0, width: 0 });
  useLayoutEffect(() => {
    const scroller = element.current;
    if (!scroller) return;
    const look = (): void =>
      setView({ top: scroller.scrollTop, height: scroller.clientHeight, width: scroller.clientWidth });
    const sizes = new ResizeObserver(look);
    sizes.observe(scroller);
    scroller.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      scroller.removeEventListener("scroll", look);
    };
  }, [element]);
  return view;
}

interface AnchorParts<Row> {
  readonly element: { readonly current: HTMLElement | null };
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly rowHeight: number;
}

/** Rows that come above those one reads do not move them. At the very top the newest are shown. */
function useAnchor<Row>({ element, rows, keyOf, rowHeight }: AnchorParts<Row>): void {
  const before = useRef<readonly Row[]>(rows);
  // Before the page is painted: the rows never show elsewhere.
  useLayoutEffect(() => {
    const scroller = element.current;
    const { current: old } = before;
    before.current = rows;
    if (!scroller || scroller.scrollTop === 0 || old === rows) return;
    const index = Math.floor(scroller.scrollTop / rowHeight);
    const anchor = old[index];
    if (anchor === undefined) return;
    const moved = rows.findIndex((row) => keyOf(row) === keyOf(anchor));
    if (moved !== -1 && moved !== index) scroller.scrollTop += (moved - index) * rowHeight;
  });
}
