import { useCallback, useContext, useEffect, useInsertionEffect, useRef, useState } from "react";
import type { AgentBridge, MessageInjectionOptions, ToolSource } from "../agent-window/index.ts";
import type { OnError, OfferChange } from "../wire/index.ts";
import { contentOf, holdBridge } from "./hold-bridge.ts";
import type { AgentBridgeOptions, HeldBridge, Standing } from "./hold-bridge.ts";
import { noProvider, PlaceContext } from "./place.ts";
import { useNewest, useReport } from "./use-newest.ts";
import { useSame } from "./describes-same.ts";
import { createListeners } from "../toolbox/index.ts";

interface FollowedToolbox extends ToolSource {
  /** Follows this toolbox, or with undefined none, and its changes until it follows another. */
  follow(toolbox: ToolSource | undefined): void;
}

/** A stable toolbox around the page's: the bridge sees a page that comes later, or replaces another, as changes. */
function createFollowedToolbox(onError: OnError): FollowedToolbox {
  const changes = createListeners<OfferChange>(onError);
  let followed: ToolSource | undefined;
  let leave = () => {};
  const offer: ToolSource["offer"] = () =>
    followed?.offer() ?? { tools: [], resources: [], resourceTemplates: [], prompts: [] };

  return {
    follow(toolbox) {
      if (toolbox === followed) return;
      leave();
      const before = offer().tools.map(({ name }) => name);
      followed = toolbox;
      leave = toolbox?.subscribe(changes.tell) ?? (() => {});
      const { tools } = offer();
      const isGone = (name: string) => !tools.some((tool) => tool.name === name);
      changes.tell({ add: { tools }, remove: { tools: before.filter(isGone) } });
    },
    offer,
    subscribe: changes.add,
    callTool: async (...given) =>
      followed?.callTool(...given) ?? { kind: "refused", code: "tool-not-found", message: gone },
  };
}

const gone = "The app has taken its tools away. Look which there are now.";

/** The state of the assistant, and functions to control it, which are the same in each render. */
export interface UsedAgentBridge extends Standing {
  /**
   * Opens the assistant, or focuses it. Call it in a click: otherwise the browser blocks it, and the result is null.
   */
  readonly open: () => Window | null;
  readonly close: () => void;
  /** Puts a message into the assistant's field, once it is there; with `autoSend` sends it. */
  readonly inject: (message: string, options?: MessageInjectionOptions) => void;
}

const none: Standing = { state: "disconnected", reason: undefined, window: null, bridge: undefined };

/**
 * Opens an assistant in its own window, which uses the tools given here. A call runs the handler of the newest render;
 * options are compared by content. The window outlives the component, and is found again.
 */
export function useAgentBridge(options: AgentBridgeOptions): UsedAgentBridge {
  const newest = useNewest(options);
  const onError = useReport(newest);
  const toolbox = useToolbox(options.toolbox, onError);
  const [standing, setStanding] = useState(none);
  const held = useRef<HeldBridge>(undefined);
  const waiting = useRef<Parameters<AgentBridge["injectMessage"]>[]>([]);
  const content = useSame(contentOf(options));
  const tools = useSame(options.tools);

  useEffect(() => held.current?.offer(tools ?? []), [tools]);

  useEffect(() => {
    let isOver = false;
    const onStanding = (update: Partial<Standing>) => setStanding((known) => ({ ...known, ...update }));

    function begin(): void {
      const { bridge, offer } = (held.current = holdBridge({
        content,
        toolbox,
        newest: () => newest.current,
        onError,
        onStanding,
      }));
      onStanding({ bridge });
      offer(newest.current.tools ?? []);
      // Once all its tools are registered, it may find the window of an earlier document.
      bridge.registerTools([]);
      for (const given of waiting.current.splice(0)) attempt(() => bridge.injectMessage(...given));
    }

    function attempt(run: () => void): void {
      try {
        run();
      } catch (error) {
        onError(error, { stage: "useAgentBridge" });
      }
    }

    // The first effect of StrictMode is over by then, and nothing was begun for it.
    queueMicrotask(() => isOver || attempt(begin));
    return () => {
      isOver = true;
      held.current?.bridge.destroy();
      held.current = undefined;
      setStanding(none);
    };
  }, [content, toolbox, newest, onError]);

  // Other effects end shortly after a component unmounts. No call may arrive in between.
  useInsertionEffect(() => () => held.current?.offer([]), []);

  const open = useCallback(() => {
    const window = held.current?.bridge.openAgent() ?? null;
    setStanding((known) => ({ ...known, window }));
    return window;
  }, []);
  const close = useCallback(() => held.current?.bridge.closeAgent(), []);
  const inject = useCallback<UsedAgentBridge["inject"]>((...given) => {
    if (held.current) held.current.bridge.injectMessage(...given);
    else waiting.current.push(given);
  }, []);

  return { ...standing, open, close, inject };
}

/** The tools of a toolbox, or of the page that the provider around has; the same object whichever they are. */
function useToolbox(given: AgentBridgeOptions["toolbox"], onError: OnError): FollowedToolbox {
  const place = useContext(PlaceContext);
  if (given === true && !place) throw noProvider("The toolbox of useAgentBridge");
  const [toolbox] = useState(() => createFollowedToolbox(onError));
  const followed: ToolSource | undefined = given === true ? place?.page?.toolbox : given;
  useEffect(() => toolbox.follow(followed), [toolbox, followed]);
  useInsertionEffect(() => () => toolbox.follow(undefined), [toolbox]);
  return toolbox;
}
