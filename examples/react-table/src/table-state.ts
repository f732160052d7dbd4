import { teas } from "./teas.ts";
import type { Kind, Tea } from "./teas.ts";

export const columns = ["name", "kind", "origin", "price", "stock"] as const;

export type Column = (typeof columns)[number];

export interface Filters {
  readonly text?: string;
  readonly kind?: Kind;
  readonly maximumPrice?: number;
  readonly inStock?: boolean;
}

export interface Sorting {
  readonly column: Column;
  readonly descending?: boolean;
}

export interface Table {
  readonly teas: readonly Tea[];
  readonly filters: Filters;
  readonly sorting: Sorting;
  readonly selected: ReadonlySet<string>;
}

export type Action =
  | { readonly type: "filter"; readonly filters: Filters }
  | { readonly type: "sort"; readonly sorting: Sorting }
  | { readonly type: "select"; readonly ids: readonly string[] }
  | { readonly type: "reorder"; readonly kilograms: number };

export const firstTable: Table = { teas, filters: {}, sorting: { column: "name" }, selected: new Set() };

/** Changes of the table, the same for the user and for an agent. */
export function reduce(table: Table, action: Action): Table {
  switch (action.type) {
    case "filter":
      return { ...table, filters: action.filters };
    case "sort":
      return { ...table, sorting: action.sorting };
    case "select":
      return { ...table, selected: new Set(action.ids) };
    case "reorder":
      return { ...table, selected: new Set(), teas: table.teas.map(reordered) };
  }

  function reordered(tea: Tea): Tea {
    return action.type === "reorder" && table.selected.has(tea.id)
      ? { ...tea, stock: tea.stock + action.kilograms }
      : tea;
  }
}

/** The rows that the user sees, in their order. */
export function shownTeas({ teas: all, filters, sorting }: Table): readonly Tea[] {
  const { text = "", kind, maximumPrice = Infinity, inStock = false } = filters;
  const words = text.toLowerCase();
  return all
    .filter((tea) => `${tea.name} ${tea.origin}`.toLowerCase().includes(words))
    .filter((tea) => kind === undefined || tea.kind === kind)
    .filter((tea) => tea.price <= maximumPrice && (!inStock || tea.stock > 0))
    .toSorted((one, other) => (sorting.descending ? -1 : 1) * compare(one[sorting.column], other[sorting.column]));
}

function compare(one: string | number, other: string | number): number {
  return typeof one === "string" ? one.localeCompare(String(other)) : one - Number(other);
}
