import type { Filters } from "./table-state.ts";
import { kinds } from "./teas.ts";

const highestPrice = 30;

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const { text = "", kind, maximumPrice = highestPrice, inStock = false } = filters;
  const { kind: _kind, ...ofAllKinds } = filters;
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Name or origin"
        placeholder="Name or origin"
        value={text}
        onChange={(event) => onChange({ ...filters, text: event.target.value })}
      />
      <fieldset>
        <legend className="unseen">Kind</legend>
        <button type="button" aria-pressed={kind === undefined} onClick={() => onChange(ofAllKinds)}>
          all
        </button>
        {kinds.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={kind === each}
            onClick={() => onChange({ ...filters, kind: each })}
          >
            {each}
          </button>
        ))}
      </fieldset>
      <label className="price">
        up to € {maximumPrice}
        <input
          type="range"
          min={3}
          max={highestPrice}
          value={maximumPrice}
          onChange={(event) => onChange({ ...filters, maximumPrice: event.target.valueAsNumber })}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={inStock}
          onChange={(event) => onChange({ ...filters, inStock: event.target.checked })}
        />
        in stock
      </label>
    </form>
  );
}
