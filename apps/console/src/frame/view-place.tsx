// The chosen view, loaded when it is first opened. One that fails leaves the rest of the console as it is.
import { Component } from "preact";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "pagewire/wire";
import type { View, ViewProps } from "./view.ts";

type Loaded = { readonly view: View } & (
  | { readonly component: ComponentType<ViewProps> }
  | { readonly problem: string }
);

export function ViewPlace({ view, ...props }: ViewProps & { readonly view: View }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isWanted = true;
    view.load().then(
      (component) => isWanted && setLoaded({ view, component }),
      (error: unknown) => isWanted && setLoaded({ view, problem: messageOf(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [view, attempt]);

  if (loaded?.view !== view) return <p class="loading">Loading</p>;
  const again = () => {
    setLoaded(undefined);
    setAttempt(attempt + 1);
  };
  if ("problem" in loaded) return <Failed problem={loaded.problem} again={again} />;
  return (
    <Boundary key={`${view.path} ${attempt}`} again={again}>
      <loaded.component {...props} />
    </Boundary>
  );
}

interface BoundaryProps {
  readonly again: () => void;
  readonly children: ComponentChildren;
}

class Boundary extends Component<BoundaryProps, { readonly problem?: string }> {
  static override getDerivedStateFromError(error: unknown) {
    return { problem: messageOf(error) };
  }

  override render({ again, children }: BoundaryProps, { problem }: { readonly problem?: string }) {
    return problem === undefined ? children : <Failed problem={problem} again={again} />;
  }
}

function Failed({ problem, again }: { readonly problem: string; readonly again: () => void }) {
  return (
    <div class="notice danger" role="alert">
      <p>This view failed: {problem}. The hub may be newer than this page, or away.</p>
      <p class="row">
        <button type="button" class="button small" onClick={again}>
          Try again
        </button>
        <button type="button" class="button small" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </div>
  );
}
