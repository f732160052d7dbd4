import { describe, expect, test } from "vitest";
import { sampleOrder, sampleSales } from "../data/sample-sales.test-helper.ts";
import { createDashboard, ordersPerPage, parseNotes } from "./dashboard.ts";
import type { Dashboard } from "./dashboard.ts";

function sampleDashboard(): Dashboard {
  const orders = Array.from({ length: 30 }, (_, index) => sampleOrder({ id: `H${100 + index}` }));
  let last = 0;
  return createDashboard({ sales: sampleSales(orders), notes: [], createId: () => `note-${++last}` });
}

const forecast = { days: [], total: { cents: 1, low: 1, high: 1 } };

describe("the dashboard's state", () => {
  test("filters that are not named stay, and null clears one", () => {
    const dashboard = sampleDashboard();
    dashboard.setFilters({ region: "Europe", product: "Gift Box" });
    dashboard.setFilters({ region: null });
    expect(dashboard.get().filters).toEqual({ region: null, product: "Gift Box", channel: null });
  });

  test("another period, filter or search starts at the first page of the orders", () => {
    for (const change of [
      (dashboard: Dashboard) => dashboard.setPeriod(90),
      (dashboard: Dashboard) => dashboard.setFilters({ region: "Europe" }),
      (dashboard: Dashboard) => dashboard.setQuery({ text: "ada" }),
    ]) {
      const dashboard = sampleDashboard();
      dashboard.setPage(1);
      change(dashboard);
      expect(dashboard.get().page).toBe(0);
    }
  });

  test("a forecast goes when the filters change, and stays when the period does", () => {
    const dashboard = sampleDashboard();
    dashboard.setForecast(forecast);
    dashboard.setPeriod(7);
    expect(dashboard.get().forecast).toBe(forecast);
    dashboard.setFilters({ channel: "Web shop" });
    expect(dashboard.get().forecast).toBeUndefined();
  });

  test("pointing at an order turns to its page", () => {
    const dashboard = sampleDashboard();
    dashboard.setQuery({ sort: "id", direction: "ascending" });
    dashboard.highlight({ target: "order", orderId: `H${100 + ordersPerPage}`, by: "test" });
    expect(dashboard.get().page).toBe(1);
  });

  test("notes are newest first, and are taken away one by one or all at once", () => {
    const dashboard = sampleDashboard();
    const first = dashboard.addNote({ text: "One", author: "You" });
    dashboard.addNote({ text: "Two", author: "You" });
    dashboard.addNote({ text: "Three", author: "You" });
    dashboard.removeNote(first.id);
    expect(dashboard.get().notes.map((note) => note.text)).toEqual(["Three", "Two"]);
    expect(dashboard.clearNotes()).toBe(2);
    expect(dashboard.get().notes).toEqual([]);
  });

  test("only notes are restored from an earlier visit", () => {
    const note = { id: "1", text: "Kept", author: "You", day: "2026-03-10" };
    expect(parseNotes([note, { id: "2" }, { ...note, day: "2026-02-30" }, null])).toEqual([note]);
    expect(parseNotes({ notes: [note] })).toEqual([]);
    expect(parseNotes(undefined)).toEqual([]);
  });

  test("watchers are notified only of the values that they watch", () => {
    const dashboard = sampleDashboard();
    const seen: number[] = [];
    dashboard.watch(["days"], ({ days }) => seen.push(days));
    dashboard.setFilters({ region: "Europe" });
    dashboard.setPeriod(7);
    expect(seen).toEqual([30, 7]);
  });
});
