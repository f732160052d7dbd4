import { render } from "preact";
import { Button } from "../../../common/src/ui/button.tsx";
import { Icon } from "../../../common/src/ui/icon.tsx";
import type { Order } from "../data/catalogue.ts";
import { findOrders, orderColumns } from "../data/find-orders.ts";
import type { OrderColumn } from "../data/find-orders.ts";
import { ordersPerPage } from "../state/dashboard.ts";
import type { Dashboard, View } from "../state/dashboard.ts";
import { AskButton } from "./assistant/ask-button.tsx";
import type { Ask } from "./assistant/ask-button.tsx";
import { questionAboutOrder } from "./assistant/questions.ts";
import { byId } from "./dom.ts";
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

  dashboard.watch(["days", "filters", "query", "page"], ({ query, page }) => {
    if (search.value.trim() !== query.text.trim()) search.value = query.text;
    const found = findOrders(dashboard.sales, dashboard.scope(), query);
    const first = page * ordersPerPage;
    const shown = found.slice(first, first + ordersPerPage);
    const turn = (by: number) => () => dashboard.setPage(page + by);
    render(
      <>
        <Head query={query} onSort={(sort, direction) => dashboard.setQuery({ sort, direction })} />
        <tbody>
          {shown.map((order) => (
            <OrderRow key={order.id} order={order} ask={ask} />
          ))}
          {shown.length === 0 && <EmptyRow />}
        </tbody>
      </>,
      table,
    );
    render(
      <>
        <p role="status">{shown.length === 0 ? "No orders" : describePage(first, shown.length, found)}</p>
        <div class="row">
          <Button disabled={page === 0} onClick={turn(-1)}>
            Previous
          </Button>
          <Button disabled={first + ordersPerPage >= found.length} onClick={turn(1)}>
            Next
          </Button>
        </div>
      </>,
      pager,
    );
  });
}

type Query = View["query"];

interface HeadProps {
  readonly query: Query;
  readonly onSort: (column: OrderColumn, direction: Query["direction"]) => void;
}

function Head({ query, onSort }: HeadProps) {
  return (
    <thead>
      <tr>
        {orderColumns.map((column) => {
          const isSorted = query.sort === column;
          const next = isSorted && query.direction === "descending" ? "ascending" : "descending";
          return (
            <th
              key={column}
              scope="col"
              class={numberColumns.includes(column) ? "number" : undefined}
              aria-sort={isSorted ? query.direction : undefined}
            >
              <button type="button" class="sort" onClick={() => onSort(column, next)}>
                {titles[column]}
                <Icon path={icons.chevron} />
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function OrderRow({ order, ask }: { readonly order: Order; readonly ask: Ask | undefined }) {
  return (
    <tr data-order={order.id}>
      <td>
        {order.id}
        {ask && <AskButton what={`order ${order.id}`} onAsk={() => ask(questionAboutOrder(order))} />}
      </td>
      <td>{formatFullDay(order.date)}</td>
      <td>{order.customer}</td>
      <td>{order.product}</td>
      <td>{order.region}</td>
      <td>{order.channel}</td>
      <td class="number">{order.quantity}</td>
      <td class="number">{formatExactMoney(order.cents)}</td>
    </tr>
  );
}

function EmptyRow() {
  return (
    <tr>
      <td colSpan={orderColumns.length}>
        <p class="empty">No order matches the search and the filters.</p>
      </td>
    </tr>
  );
}

function describePage(first: number, shown: number, found: readonly Order[]): string {
  const total = found.reduce((sum, order) => sum + order.cents, 0);
  const range = `${formatCount(first + 1)}–${formatCount(first + shown)}`;
  return `${range} of ${formatCount(found.length)} orders, ${formatExactMoney(total)} together`;
}
