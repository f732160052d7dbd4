import { channels, periods, products, regions } from "../data/catalogue.ts";
import type { Filters } from "../data/filters.ts";
import { prepareDownload } from "../state/dashboard.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { byId, html, show } from "./dom.ts";
import { formatFullDay, formatCount } from "./format.ts";

/** The period switch, the filters, and the line that says what is shown. */
export function mountControls(dashboard: Dashboard): void {
  const period = byId("period", HTMLElement);
  dashboard.watch(["days"], ({ days }) => {
    const choices = periods.map((value) => ({ value, label: `${value} days` }));
    showSegments(period, { choices, chosen: days, choose: (value) => dashboard.setPeriod(value) });
  });

  mountFilters(dashboard);

  const scope = byId("scope", HTMLElement);
  dashboard.watch(["days", "filters"], ({ filters }) => {
    const { from, to } = dashboard.scope().range;
    const parts = [filters.region, filters.product, filters.channel].filter((part) => part !== null);
    show(scope, `${formatFullDay(from)} to ${formatFullDay(to)} · ${parts.join(" · ") || "everything sold"}`);
  });
}

function mountFilters(dashboard: Dashboard): void {
  const form = byId("filters", HTMLFormElement);
  const choices: Readonly<Record<keyof Filters, readonly string[]>> = {
    region: regions,
    product: products,
    channel: channels,
  };
  const clear = html("button", { type: "button", class: "button quiet", onclick: clearAll }, "Clear filters");
  const fields = Object.entries(choices).map(([name, values]) => createFilter(name, values));
  show(form, ...fields.map(({ label }) => label), clear);

  function createFilter(name: string, values: readonly string[]) {
    const options = [["", `Every ${name}`], ...values.map((value) => [value, value] as const)] as const;
    const select = html(
      "select",
      { name, onchange: () => apply(name, select.value) },
      ...options.map(([value, text]) => html("option", { value }, text)),
    );
    const title = html("span", {}, name.charAt(0).toUpperCase() + name.slice(1));
    return { name, select, label: html("label", { class: "field" }, title, select) };
  }

  function apply(name: string, value: string): void {
    const chosen = value === "" ? null : value;
    // The values are the options made above: of this dimension and no other.
    dashboard.setFilters({ [name]: chosen } as Partial<Filters>);
  }

  function clearAll(): void {
    dashboard.setFilters({ region: null, product: null, channel: null });
    fields[0]?.select.focus();
  }

  dashboard.watch(["filters"], ({ filters }) => {
    for (const { name, select, label } of fields) {
      const value = filters[name as keyof Filters];
      select.value = value ?? "";
      label.classList.toggle("active", value !== null);
    }
    clear.hidden = Object.values(filters).every((value) => value === null);
  });
}

/** The button that exports the orders, and the offer to save what was exported. */
export function mountDownload(dashboard: Dashboard): void {
  const button = byId("export", HTMLButtonElement);
  const offer = byId("download", HTMLElement);
  button.addEventListener("click", () => dashboard.offerDownload(prepareDownload(dashboard)));

  let address: string | undefined;
  dashboard.watch(["download"], ({ download }) => {
    if (address !== undefined) URL.revokeObjectURL(address);
    address = download && URL.createObjectURL(new Blob([download.text], { type: "text/csv" }));
    if (download === undefined || address === undefined) return show(offer);
    show(
      offer,
      html(
        "div",
        { class: "download" },
        html("p", {}, `${download.name} is ready: ${formatCount(download.rows)} orders.`),
        html("a", { class: "button strong", href: address, download: download.name }, "Save file"),
        html("button", { type: "button", class: "button quiet", onclick: dismiss }, "Dismiss"),
      ),
    );
  });

  function dismiss(): void {
    dashboard.offerDownload(undefined);
    button.focus();
  }
}

/** A row of buttons of which one is pressed. */
interface Segments<Value> {
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly chosen: Value;
  choose(value: Value): void;
}

/** Shows a row of buttons; the ones that are there already are kept, so that focus stays where it is. */
export function showSegments<Value>(container: HTMLElement, { choices, chosen, choose }: Segments<Value>): void {
  if (container.childElementCount === 0) {
    container.append(
      ...choices.map(({ value, label }) => html("button", { type: "button", onclick: () => choose(value) }, label)),
    );
  }
  choices.forEach(({ value }, index) => {
    container.children[index]?.setAttribute("aria-pressed", String(value === chosen));
  });
}
