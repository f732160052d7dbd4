import { describe, expect, test } from "vitest";
import { addDays, lastDays, listDays, weekdayOf } from "./calendar.ts";
import { periods } from "./catalogue.ts";
import { noFilters } from "./filters.ts";
import { figuresOf } from "./figures.ts";
import { generateSales } from "./generate-sales.ts";
import { groupSales } from "./group-sales.ts";

const lastDay = "2026-03-10";
const sales = generateSales({ lastDay });
const wholeYear = { range: { from: sales.firstDay, to: lastDay }, filters: noFilters };
const ordersByDay = new Map(groupSales(sales, wholeYear, "day").map((row) => [row.key, row.orders]));
const daysBefore = (count: number): string => addDays(lastDay, -count);

describe("generated sales", () => {
  test("the same day gives the same orders, and another seed gives others", () => {
    expect(generateSales({ lastDay })).toEqual(sales);
    expect(generateSales({ lastDay, seed: 1 }).orders).not.toEqual(sales.orders);
  });

  test("every period has a period before it, without a day missing", () => {
    const longest = Math.max(...periods);
    expect(listDays(sales.firstDay, sales.lastDay)).toHaveLength(2 * longest);
    expect([...ordersByDay.values()].every((orders) => orders > 0)).toBe(true);
  });

  test("order numbers are different and rise with the day", () => {
    const ids = sales.orders.map((order) => order.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(sales.orders.map((order) => order.date)).toEqual(sales.orders.map((order) => order.date).toSorted());
  });

  test("a customer buys in one region only", () => {
    const regions = new Map<string, Set<string>>();
    for (const { customer, region } of sales.orders) {
      regions.set(customer, (regions.get(customer) ?? new Set()).add(region));
    }
    expect([...regions.values()].every((names) => names.size === 1)).toBe(true);
  });

  test("sales grow", () => {
    const late = figuresOf(sales, { range: lastDays(lastDay, 90), filters: noFilters });
    const early = figuresOf(sales, { range: lastDays(daysBefore(270), 90), filters: noFilters });
    expect(late.revenue).toBeGreaterThan(early.revenue * 1.3);
  });

  test("Saturdays are the quietest days of the week", () => {
    const byWeekday = [0, 0, 0, 0, 0, 0, 0];
    for (const [day, orders] of ordersByDay) byWeekday[weekdayOf(day)] = (byWeekday[weekdayOf(day)] ?? 0) + orders;
    expect(Math.min(...byWeekday)).toBe(byWeekday[6]);
  });

  test("the campaign sells far more than the days around it, above all gift boxes", () => {
    const during = { range: { from: daysBefore(54), to: daysBefore(44) }, filters: noFilters };
    const after = { range: { from: daysBefore(43), to: daysBefore(33) }, filters: noFilters };
    expect(figuresOf(sales, during).orders).toBeGreaterThan(figuresOf(sales, after).orders * 1.3);
    expect(groupSales(sales, during, "product")[0]?.key).toBe("Gift Box");
  });

  test("in the outage people come and cannot buy", () => {
    const day = daysBefore(17);
    const outage = figuresOf(sales, { range: { from: day, to: day }, filters: noFilters });
    const week = figuresOf(sales, { range: { from: daysBefore(16), to: daysBefore(10) }, filters: noFilters });
    expect(outage.orders).toBeLessThan((week.orders / 7) * 0.3);
    expect(outage.conversion).toBeLessThan(week.conversion / 2);
  });
});
