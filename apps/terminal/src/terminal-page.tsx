// The page of terminals: it puts the parts together.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { standardActions } from "pagewire/page/actions";
import { mountTerminal } from "pagewire/terminal";
import type { TerminalInfo, TerminalState, TerminalView } from "pagewire/terminal";
import { icons } from "../../common/src/icons.ts";
import { createSafeStorage } from "../../common/src/safe-storage.ts";
import { pageKey } from "../../common/src/session/browser-session.ts";
import { chosenTheme } from "../../common/src/theme.ts";
import { Dot } from "../../common/src/ui/badge.tsx";
import { Button } from "../../common/src/ui/button.tsx";
import { Switch } from "../../common/src/ui/fields.tsx";
import { Side, SideButton, createSide } from "../../common/src/ui/side.tsx";
import { ThemeButton } from "../../common/src/ui/theme-button.tsx";
import { statusLine } from "./status-line.ts";
import { TerminalList } from "./terminal-list.tsx";

/** The terminal that this tab showed last. */
const terminalKey = "pagewire.terminal";
const readersKey = "pagewire.terminal-screen-reader";

const ofTab = createSafeStorage(() => sessionStorage);
export const storage = createSafeStorage(() => localStorage);

interface Shown {
  readonly view: TerminalView;
  readonly state: TerminalState;
  readonly terminals: readonly TerminalInfo[];
  readonly terminal: string | undefined;
}

export function TerminalPage({ code }: { readonly code: string | undefined }) {
  const place = useRef<HTMLElement>(null);
  const [isForReaders, setForReaders] = useState(storage.read(readersKey) === "on");
  const [side] = useState(createSide);
  const isOpen = side.isOpen.value;
  const shown = useTerminal({ place, code, isForReaders });
  const view = shown?.view;
  const { text, tone } = shown ? statusLine(shown.state) : ({ text: "Connecting", tone: "wait" } as const);
  const title = shown ? nameOf(shown) : "Terminal";
  useLayoutEffect(() => {
    document.title = title === "Terminal" ? title : `${title} · Terminal`;
  }, [title]);

  function open(id: string | undefined): void {
    view?.open(id);
    side.close(() => view?.focus());
  }

  return (
    <>
      <header class="top-bar" inert={isOpen}>
        <SideButton side={side} name="Terminals" />
        <div class="titles">
          <h1 class="cut">{title}</h1>
          <p class="status" role="status">
            <Dot tone={tone} />
            <span>{text}</span>
          </p>
        </div>
        <div class="actions">
          <Button
            class="begin"
            icon={icons.plus}
            label="New terminal"
            title="New terminal"
            onClick={() => open(undefined)}
          >
            <span class="label">New terminal</span>
          </Button>
          <ThemeButton storage={storage} onChoose={(theme) => view?.setTheme(theme)} />
        </div>
      </header>
      <div class="frame">
        <Side side={side} name="Terminals">
          <TerminalList
            terminals={shown?.terminals ?? []}
            current={shown?.terminal}
            onOpen={open}
            onRename={(id, name) => view?.rename(id, name)}
            onEnd={(id) => view?.end(id)}
          />
          <div class="side-foot">
            <Switch
              label="For screen readers"
              checked={isForReaders}
              onChange={(on) => {
                storage.write(readersKey, on ? "on" : undefined);
                setForReaders(on);
                view?.setScreenReaderMode(on);
              }}
            />
            <p>
              <kbd>Ctrl+Shift+M</kbd>: Tab leaves the terminal, or goes to it again
            </p>
            {shown?.state.status !== "signed-out" && (
              <Button small onClick={() => view?.signOut()}>
                Sign out of terminals
              </Button>
            )}
          </div>
        </Side>
        <main ref={place} class="terminal-place" aria-label="Terminal" inert={isOpen} />
      </div>
    </>
  );
}

interface TerminalParts {
  readonly place: { readonly current: HTMLElement | null };
  readonly code: string | undefined;
  readonly isForReaders: boolean;
}

/** The terminal in its place; another code signs in again. */
function useTerminal({ place, code, isForReaders }: TerminalParts): Shown | undefined {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    if (!place.current) return;
    const terminal = ofTab.read(terminalKey);
    const mounted: { view?: TerminalView } = {};
    const draw = (state: TerminalState): void => {
      const { view } = mounted;
      if (!view) return;
      if (state.status === "connected") ofTab.write(terminalKey, state.terminal);
      else if (state.status === "ended") ofTab.write(terminalKey, undefined);
      setShown({ view, state, terminals: view.terminals, terminal: view.terminal });
    };
    const view = (mounted.view = mountTerminal(place.current, {
      hub: location.origin,
      key: pageKey,
      actions: standardActions({ fetch: { origins: fetchOrigins() } }),
      screenReaderMode: isForReaders,
      onState: draw,
      ...(code !== undefined && { code }),
      ...(terminal !== undefined && { terminal }),
    }));
    const chosen = chosenTheme(storage);
    if (chosen !== undefined) view.setTheme(chosen);
    draw(view.state);
    view.focus();
    return () => view.close();
  }, [code]);
  return shown;
}

/** The origins that the hub was started to let programs fetch from. */
function fetchOrigins(): readonly string[] {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="pagewire-fetch"]');
  return meta ? meta.content.split(" ") : [];
}

function nameOf({ state, terminals, terminal }: Shown): string {
  const known = terminals.find(({ id }) => id === terminal)?.name;
  return known || (state.status === "connected" && state.name) || "Terminal";
}
