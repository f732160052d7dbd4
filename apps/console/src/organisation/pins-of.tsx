// The pinned tools of one of the organisation's principals: what changed and waits, to accept, and what is pinned, to forget.
import { useState } from "preact/hooks";
import { Button } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import { Pins } from "../rules/decisions.tsx";
import { PrincipalField } from "./principal-field.tsx";

export function PinsOf({ session, route }: ViewProps) {
  const whose = route.path[2];
  return (
    <div class="rules">
      <p>
        Everyone has pins of their own: what their agents see of the origins that a policy pins. Service accounts have
        them, too, such as <code>{session.info.me?.organisation}:service/deploy</code>.
      </p>
      <Choose key={whose} session={session} first={whose ?? ""} />
      {whose !== undefined && (
        <Pins key={whose} session={session} path={`/api/team/pins/${encodeURIComponent(whose)}`} />
      )}
    </div>
  );
}

function Choose({ session, first }: Pick<ViewProps, "session"> & { readonly first: string }) {
  const [whose, setWhose] = useState(first);
  return (
    <form
      class="rules-form"
      aria-label="Whose pinned tools"
      onSubmit={(event) => {
        event.preventDefault();
        if (whose.trim() !== "") goTo(href(["organisation", "pins", whose.trim()]));
      }}
    >
      <PrincipalField session={session} label="Person or service account" value={whose} onValue={setWhose} />
      <Button type="submit" kind="strong" disabled={whose.trim() === ""}>
        Show
      </Button>
    </form>
  );
}
