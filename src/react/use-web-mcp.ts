import { useCallback, useEffect, useInsertionEffect, useRef, useState } from "react";
import { findModelContext } from "../webmcp/index.ts";
import { PagewireError } from "../wire/index.ts";
import { holdWebMcp, starting, contentOf } from "./hold-web-mcp.ts";
import type { HeldWebMcp, WebMcpStanding, UseWebMcpOptions } from "./hold-web-mcp.ts";
import { useAnyModelContext } from "./use-model-context.ts";
import { useNewest, useReport } from "./use-newest.ts";
import { describesSame } from "./describes-same.ts";

interface Settled<Value> {
  /** As from `useSame`; undefined if the value is unstable. */
  readonly value: Value | undefined;
  /** The name of the part that differs in each render. */
  readonly restless?: string | undefined;
}

/** Renders in a row with different values before the value counts as unstable. React itself gives up after 25. */
const MAX_CHANGES = 8;

/** Like `useSame`, for values that may differ in every render, such as a class instance that is created in each. */
function useSettled<Value extends object | undefined>(value: Value): Settled<Value> {
  const [{ same, changes }, setSame] = useState({ same: value, changes: 0 });
  /** The changes up to the last render that reached the screen. */
  const before = useRef(0);
  useInsertionEffect(() => {
    before.current = changes;
  });
  if (describesSame(same, value)) return { value: same };
  if (changes - before.current >= MAX_CHANGES) {
    return { value: undefined, restless: differing(Object(same), Object(value)) };
  }
  setSame({ same: value, changes: changes + 1 });
  return { value };
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): string {
  return Object.keys(other).find((name) => !describesSame(one[name], other[name])) ?? "";
}

export interface UsedWebMcp extends WebMcpStanding {
  /** Reads the servers' lists again, and retries failed servers. Never rejects, and is the same in each render. */
  readonly refresh: () => Promise<void>;
}

/**
 * Registers the tools of remote MCP servers with the browser while the component is mounted. Options are compared by
 * content, and their functions are those of the newest render. Without options it does nothing.
 */
export function useWebMcp(options: UseWebMcpOptions | null | undefined | false): UsedWebMcp {
  const given = options || undefined;
  const newest = useNewest(given);
  const report = useReport(newest);
  const { value: content, restless } = useSettled(contentOf(given));
  const context = useAnyModelContext();
  const [standing, setStanding] = useState<WebMcpStanding & { readonly of?: object }>(starting);
  const held = useRef<HeldWebMcp>(undefined);

  useEffect(() => {
    if (!content) return undefined;
    const onStanding = (now: WebMcpStanding) => setStanding({ ...now, of: content });
    // While a page hydrates what a server rendered, React sees no context yet.
    if (!context && !findModelContext()) onStanding({ ...starting, status: "unavailable" });
    if (context) {
      held.current = holdWebMcp({
        content,
        newest: () => newest.current,
        onStanding,
        onError(error) {
          // The logger has reported all else.
          const isUnsaid = PagewireError.isInstance(error) && error.code === "options-invalid";
          if (newest.current?.onError || isUnsaid) report(error, { stage: "useWebMcp" });
        },
      });
    }
    return () => {
      held.current?.end();
      held.current = undefined;
      setStanding(starting);
    };
  }, [content, context, newest, report]);

  // Other effects end shortly after a component unmounts or loses its options. No call may arrive in between.
  useInsertionEffect(() => () => held.current?.end(), [content]);

  useEffect(() => {
    if (restless === undefined) return undefined;
    const error = madeAnew(restless);
    setStanding({ ...starting, status: "failed", error });
    // The first effect of StrictMode is over by then.
    const timer = setTimeout(() => report(error, { stage: "useWebMcp" }));
    return () => {
      clearTimeout(timer);
      setStanding(starting);
    };
  }, [restless, report]);

  const refresh = useCallback(async () => held.current?.refresh(), []);
  const { of, ...now } = standing;
  const shown = of === content ? now : starting;
  return { ...shown, status: content || restless !== undefined ? shown.status : "idle", refresh };
}

function madeAnew(name: string): PagewireError {
  const message = `useWebMcp: the option ${name} is another in each render. Make it once: outside of the component, or with useMemo.`;
  return new PagewireError("options-invalid", message);
}
