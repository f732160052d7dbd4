import type { Order } from "../data/catalogue.ts";
import { findOrders, orderColumns } from "../data/find-orders.ts";
import type { OrderColumn } from "../data/find-orders.ts";
import { ordersPerPage } from "../state/dashboard.ts";
import type { Dashboard, View } from "../state/dashboard.ts";
import { askButton } from "./assistant/ask-button.ts";
import type { Ask } from "./assistant/ask-button.ts";
import { questionAboutOrder } from "./assistant/questions.ts";
import { byId, html, icon, show } from "./dom.ts";
import { formatCount, formatExactMoney, formatFullDay } from "./format.ts";
import { icons } from "./icons.ts";

const numberColumns: readonly OrderColumn[] = ["quantity", "total"];
const titles: Readonly<Record<OrderColumn, string>> = {
  id: "Order",
  date: "Date",
  customer: "Customer",
  product: "Product",
  region: "Region",
  channel: "Channel",
  quantity: "Quantity",
  total: "Total",
};

/** The table of orders: sortable, searchable, in pages. */
export function mountOrdersTable(dashboard: Dashboard, ask?: Ask): void {
  const table = byId("orders", HTMLTableElement);
  const pager = byId("pager", HTMLElement);
  const search = byId("order-search", HTMLInputElement);
  search.addEventListener("input", () => dashboard.setQuery({ text: search.value }));

  const headers = orderColumns.map((column) => createHeader(column, dashboard));
  const body = html("tbody");
  show(table, html("thead", {}, html("tr", {}, ...headers)), body);
  const [count, previous, next] = createPager(pager, dashboard);

  dashboard.watch(["days", "filters", "query", "page"], ({ query, page }) => {
    if (search.value.trim() !== query.text.trim()) search.value = query.text;
    headers.forEach((header, index) => {
      if (orderColumns[index] === query.sort) header.setAttribute("aria-sort", query.direction);
      else header.removeAttribute("aria-sort");
    });
    const found = findOrders(dashboard.sales, dashboard.scope(), query);
    const first = page * ordersPerPage;
    const shown = found.slice(first, first + ordersPerPage);
    show(body, ...(shown.length === 0 ? [emptyRow()] : shown.map((order) => createRow(order, ask))));
    show(count, shown.length === 0 ? "No orders" : describePage(first, shown.length, found));
    previous.disabled = page === 0;
    next.disabled = first + ordersPerPage >= found.length;
  });
}

function createHeader(column: OrderColumn, dashboard: Dashboard): HTMLTableCellElement {
  function sort(): void {
    const { query }: View = dashboard.get();
    const isDescending = query.sort === column && query.direction === "descending";
    dashboard.setQuery({ sort: column, direction: isDescending ? "ascending" : "descending" });
  }
  return html(
    "th",
    { scope: "col", class: numberColumns.includes(column) && "number" },
    html("button", { type: "button", class: "sort", onclick: sort }, titles[column], icon(icons.chevron)),
  );
}

function createRow(order: Order, ask?: Ask): HTMLTableRowElement {
  const button = ask && askButton(`order ${order.id}`, () => ask(questionAboutOrder(order)));
  return html(
    "tr",
    { "data-order": order.id },
    html("td", {}, order.id, button),
    html("td", {}, formatFullDay(order.date)),
    html("td", {}, order.customer),
    html("td", {}, order.product),
    html("td", {}, order.region),
    html("td", {}, order.channel),
    html("td", { class: "number" }, String(order.quantity)),
    html("td", { class: "number" }, formatExactMoney(order.cents)),
  );
}

function emptyRow(): HTMLTableRowElement {
  const text = "No order matches the search and the filters.";
  return html("tr", {}, html("td", { colspan: orderColumns.length }, html("p", { class: "empty" }, text)));
}

function createPager(pager: HTMLElement, dashboard: Dashboard) {
  const turn = (by: number) => () => dashboard.setPage(dashboard.get().page + by);
  const count = html("p", { role: "status" });
  const previous = html("button", { type: "button", class: "button", onclick: turn(-1) }, "Previous");
  const next = html("button", { type: "button", class: "button", onclick: turn(1) }, "Next");
  show(pager, count, html("div", { class: "pager-buttons" }, previous, next));
  return [count, previous, next] as const;
}

function describePage(first: number, shown: number, found: readonly Order[]): string {
  const total = found.reduce((sum, order) => sum + order.cents, 0);
  const range = `${formatCount(first + 1)}–${formatCount(first + shown)}`;
  return `${range} of ${formatCount(found.length)} orders, ${formatExactMoney(total)} together`;
}
