import { render } from "preact";
import { Button } from "../../../common/src/ui/button.tsx";
import { Select } from "../../../common/src/ui/fields.tsx";
import { Segments } from "../../../common/src/ui/segments.tsx";
import { channels, periods, products, regions } from "../data/catalogue.ts";
import type { Filters } from "../data/filters.ts";
import { prepareDownload } from "../state/dashboard.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { byId } from "./dom.ts";
import { formatCount, formatFullDay } from "./format.ts";

const periodOptions = periods.map((days) => ({ value: String(days), label: `${days} days` }));
const dimensions = Object.entries({ region: regions, product: products, channel: channels }).map(([name, values]) => ({
  name: name as keyof Filters,
  label: name.charAt(0).toUpperCase() + name.slice(1),
  options: [{ value: "", label: `Every ${name}` }, ...values.map((value: string) => ({ value, label: value }))],
}));

/** The period switch, the filters, and a summary of what is shown. */
export function mountControls(dashboard: Dashboard): void {
  const period = byId("period", HTMLElement);
  const form = byId("filters", HTMLFormElement);
  const scope = byId("scope", HTMLElement);

  function choosePeriod(value: string): void {
    const chosen = periods.find((days) => String(days) === value);
    if (chosen !== undefined) dashboard.setPeriod(chosen);
  }

  function clearAll(): void {
    dashboard.setFilters({ region: null, product: null, channel: null });
    form.querySelector("select")?.focus();
  }

  dashboard.watch(["days"], ({ days }) =>
    render(<Segments label="Period" options={periodOptions} value={String(days)} onValue={choosePeriod} />, period),
  );
  dashboard.watch(["filters"], ({ filters }) =>
    render(
      <>
        {dimensions.map(({ name, label, options }) => (
          <Select
            key={name}
            {...{ name, label, options }}
            value={filters[name] ?? ""}
            // The values are the options above: of this dimension and no other.
            onValue={(value) => dashboard.setFilters({ [name]: value || null } as Partial<Filters>)}
          />
        ))}
        {Object.values(filters).some((value) => value !== null) && (
          <Button kind="quiet" onClick={clearAll}>
            Clear filters
          </Button>
        )}
      </>,
      form,
    ),
  );
  dashboard.watch(["days", "filters"], ({ filters }) => {
    const { from, to } = dashboard.scope().range;
    const parts = [filters.region, filters.product, filters.channel].filter((part) => part !== null);
    scope.textContent = `${formatFullDay(from)} to ${formatFullDay(to)} · ${parts.join(" · ") || "everything sold"}`;
  });
}

/** The button that exports the orders, and the offer to save what was exported. */
export function mountDownload(dashboard: Dashboard): void {
  const button = byId("export", HTMLButtonElement);
  const place = byId("download", HTMLElement);
  button.addEventListener("click", () => dashboard.offerDownload(prepareDownload(dashboard)));

  function dismiss(): void {
    dashboard.offerDownload(undefined);
    button.focus();
  }

  let address: string | undefined;
  dashboard.watch(["download"], ({ download }) => {
    if (address !== undefined) URL.revokeObjectURL(address);
    address = download && URL.createObjectURL(new Blob([download.text], { type: "text/csv" }));
    render(
      download && (
        <div class="row download">
          <p>
            {download.name} is ready: {formatCount(download.rows)} orders.
          </p>
          <a class="button strong" href={address ?? ""} download={download.name}>
            Save file
          </a>
          <Button kind="quiet" onClick={dismiss}>
            Dismiss
          </Button>
        </div>
      ),
      place,
    );
  });
}
