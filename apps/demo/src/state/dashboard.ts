// The dashboard's state, and every change to it: buttons and tools use the same functions.
import { lastDays, isDay } from "../data/calendar.ts";
import type { Period, Sales } from "../data/catalogue.ts";
import { noFilters } from "../data/filters.ts";
import type { Filters, Scope } from "../data/filters.ts";
import { findOrders, ordersToCsv } from "../data/find-orders.ts";
import type { OrderQuery } from "../data/find-orders.ts";
import type { Forecast } from "../data/forecast-revenue.ts";
import type { Dimension } from "../data/group-sales.ts";
import { createStore } from "./store.ts";
import type { Store } from "./store.ts";

/** A remark, perhaps about one day. */
export interface Note {
  readonly id: string;
  readonly text: string;
  /** ISO day; the chart is marked there. */
  readonly day?: string;
  readonly author: string;
}

/** Something on the page that someone points at. */
export interface Highlight {
  readonly target: HighlightTarget;
  /** With target "order". */
  readonly orderId?: string;
  readonly message?: string;
  readonly by: string;
}

export const highlightTargets = [
  "revenue",
  "orders",
  "average_order",
  "conversion",
  "active_users",
  "revenue_chart",
  "breakdown",
  "orders_table",
  "order",
  "notes",
] as const;
export type HighlightTarget = (typeof highlightTargets)[number];

/** A file that waits to be saved. */
export interface Download {
  readonly name: string;
  readonly text: string;
  readonly rows: number;
}

/** The page's state at one moment. */
export interface View {
  readonly days: Period;
  readonly filters: Filters;
  readonly breakdown: Dimension;
  readonly query: OrderQuery;
  /** Page of the orders table, from 0. */
  readonly page: number;
  readonly notes: readonly Note[];
  readonly forecast: Forecast | undefined;
  /** Revenue to reach each day, in cents. */
  readonly goal: number | undefined;
  readonly highlight: Highlight | undefined;
  readonly download: Download | undefined;
}

export const ordersPerPage = 12;

/** The dashboard without its looks: its data, its view, and the changes to it. */
export interface Dashboard extends Pick<Store<View>, "get" | "watch"> {
  readonly sales: Sales;
  /** The part of the sales that is shown. */
  scope(): Scope;
  setPeriod(days: Period): void;
  /** Changes the filters given and leaves the others; null clears one. */
  setFilters(filters: Partial<Filters>): void;
  setBreakdown(breakdown: Dimension): void;
  setQuery(query: Partial<OrderQuery>): void;
  setPage(page: number): void;
  addNote(note: Omit<Note, "id">): Note;
  removeNote(id: string): void;
  /** Returns how many there were. */
  clearNotes(): number;
  setForecast(forecast: Forecast | undefined): void;
  setGoal(goal: number | undefined): void;
  highlight(highlight: Highlight | undefined): void;
  offerDownload(download: Download | undefined): void;
}

export interface DashboardOptions {
  readonly sales: Sales;
  readonly notes: readonly Note[];
  readonly createId: () => string;
}

/** Makes the dashboard that the views draw and the tools use. */
export function createDashboard({ sales, notes, createId }: DashboardOptions): Dashboard {
  const store = createStore<View>({ ...initialView, notes });
  const { get, update, watch } = store;
  const scope = (): Scope => ({ range: lastDays(sales.lastDay, get().days), filters: get().filters });
  return {
    sales,
    get,
    watch,
    scope,
    setPeriod: (days) => update({ days, page: 0 }),
    // A forecast is for the current filters: with others, it would not continue the line of the chart.
    setFilters: (filters) => update({ filters: { ...get().filters, ...filters }, page: 0, forecast: undefined }),
    setBreakdown: (breakdown) => update({ breakdown }),
    setQuery: (query) => update({ query: { ...get().query, ...query }, page: 0 }),
    setPage: (page) => update({ page }),
    addNote(fields) {
      const note = { ...fields, id: createId() };
      update({ notes: [note, ...get().notes] });
      return note;
    },
    removeNote: (id) => update({ notes: get().notes.filter((note) => note.id !== id) }),
    clearNotes() {
      const count = get().notes.length;
      update({ notes: [] });
      return count;
    },
    setForecast: (forecast) => update({ forecast }),
    setGoal: (goal) => update({ goal }),
    highlight(highlight) {
      const place =
        highlight?.orderId === undefined
          ? -1
          : findOrders(sales, scope(), get().query).findIndex(({ id }) => id === highlight.orderId);
      update({ highlight, ...(place >= 0 && { page: Math.floor(place / ordersPerPage) }) });
    },
    offerDownload: (download) => update({ download }),
  };
}

const initialView: View = {
  days: 30,
  filters: noFilters,
  breakdown: "product",
  query: { text: "", sort: "date", direction: "descending" },
  page: 0,
  notes: [],
  forecast: undefined,
  goal: undefined,
  highlight: undefined,
  download: undefined,
};

/** The orders that the table lists, all its pages, as a file to save. */
export function prepareDownload(dashboard: Dashboard): Download {
  const { range } = dashboard.scope();
  const orders = findOrders(dashboard.sales, dashboard.scope(), dashboard.get().query);
  return { name: `orders-${range.from}-to-${range.to}.csv`, text: ordersToCsv(orders), rows: orders.length };
}

/** The notes of an earlier visit, without invalid ones. */
export function parseNotes(value: unknown): readonly Note[] {
  return Array.isArray(value) ? value.filter(isNote) : [];
}

function isNote(value: unknown): value is Note {
  if (typeof value !== "object" || value === null) return false;
  const { id, text, author, day } = value as Record<string, unknown>;
  const isText = [id, text, author].every((field) => typeof field === "string");
  return isText && (day === undefined || (typeof day === "string" && isDay(day)));
}
