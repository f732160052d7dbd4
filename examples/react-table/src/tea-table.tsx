import { useReducer } from "react";
import { FilterBar } from "./filter-bar.tsx";
import { columns, firstTable, reduce, shownTeas } from "./table-state.ts";
import type { Column } from "./table-state.ts";
import { useTableTools } from "./use-table-tools.ts";

const titles: Readonly<Record<Column, string>> = {
  name: "Tea",
  kind: "Kind",
  origin: "Origin",
  price: "€ / 100 g",
  stock: "Stock, kg",
};

export function TeaTable() {
  const [table, dispatch] = useReducer(reduce, firstTable);
  useTableTools(table, dispatch);
  const { sorting, selected } = table;
  const shown = shownTeas(table);

  function sortBy(column: Column) {
    const descending = sorting.column === column && !sorting.descending;
    dispatch({ type: "sort", sorting: { column, descending } });
  }

  function toggle(id: string) {
    const ids = selected.has(id) ? [...selected].filter((other) => other !== id) : [...selected, id];
    dispatch({ type: "select", ids });
  }

  return (
    <section className="table">
      <FilterBar filters={table.filters} onChange={(filters) => dispatch({ type: "filter", filters })} />
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>
                <span className="unseen">Selected</span>
              </th>
              {columns.map((column) => (
                <th
                  key={column}
                  className={column}
                  aria-sort={sorting.column !== column ? "none" : sorting.descending ? "descending" : "ascending"}
                >
                  <button type="button" onClick={() => sortBy(column)}>
                    {titles[column]}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((tea) => (
              <tr key={tea.id} aria-selected={selected.has(tea.id)}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={tea.name}
                    checked={selected.has(tea.id)}
                    onChange={() => toggle(tea.id)}
                  />
                </td>
                <td className="name">{tea.name}</td>
                <td className="kind">
                  <span className={`chip ${tea.kind}`}>{tea.kind}</span>
                </td>
                <td className="origin">{tea.origin}</td>
                <td className="price">{tea.price.toFixed(2)}</td>
                <td className={tea.stock === 0 ? "stock none" : "stock"}>{tea.stock === 0 ? "sold out" : tea.stock}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p className="empty">No tea is like that.</p>}
      </div>
      <footer>
        <span>
          {shown.length} of {table.teas.length} teas
        </span>
        <span>{selected.size > 0 && `${selected.size} selected`}</span>
        <button
          type="button"
          className="reorder"
          disabled={selected.size === 0}
          onClick={() => dispatch({ type: "reorder", kilograms: 10 })}
        >
          Reorder 10 kg each
        </button>
      </footer>
    </section>
  );
}
