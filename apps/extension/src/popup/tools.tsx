import { useState } from "preact/hooks";
import type { ShownTool } from "pagewire/extension";
import { Badge } from "../../../common/src/ui/badge.tsx";
import { TextField } from "../../../common/src/ui/fields.tsx";
import { shortened } from "../../../common/src/shortened.ts";

/** A list of this length or more has a search field. */
const manyTools = 8;

/** The tools of the page. */
export function Tools({ tools }: { readonly tools: readonly ShownTool[] }) {
  const [wanted, want] = useState("");
  if (tools.length === 0) return null;
  const words = wanted.toLowerCase().split(/\s+/);
  const found = tools.filter(({ name, title = "", description }) => {
    const text = `${name} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <section class="stack" aria-labelledby="tools">
      <h2 id="tools">
        {tools.length} {tools.length === 1 ? "tool" : "tools"}
      </h2>
      {tools.length > manyTools && (
        <TextField
          label="Search the tools"
          hidesLabel
          type="search"
          placeholder="Search"
          value={wanted}
          onValue={want}
        />
      )}
      {found.length === 0 ? (
        <p class="hint" role="status">
          No tool has these words.
        </p>
      ) : (
        <ul class="box list" tabIndex={0} aria-labelledby="tools">
          {found.map((tool) => (
            <Tool key={tool.name} {...tool} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Tool({ name, title, description, readOnly }: ShownTool) {
  return (
    <li>
      <p class="row">
        <strong class="cut" dir="auto">
          {shortened(title ?? name, 80)}
        </strong>
        {title !== undefined && (
          <code class="cut" dir="ltr">
            {shortened(name, 80)}
          </code>
        )}
        {readOnly && <Badge>Read only</Badge>}
      </p>
      <p class="hint cut" dir="auto" title={shortened(description, 600)}>
        {shortened(description, 200)}
      </p>
    </li>
  );
}
