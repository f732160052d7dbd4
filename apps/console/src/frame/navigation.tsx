// The console's views, and what leads out of it.
import { icons } from "../../../common/src/icons.ts";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import type { LiveSession } from "../../../common/src/session/open-session.ts";
import { nameOf } from "../../../common/src/session/session.ts";
import { Button, Icon } from "../../../common/src/ui/index.ts";
import { useOtherTheme } from "../../../common/src/ui/theme-button.tsx";
import { href } from "./route.ts";
import type { View } from "./view.ts";
import type { Hub } from "../hub/hub.ts";

export interface NavigationProps {
  readonly session: LiveSession;
  readonly hub: Hub;
  readonly views: readonly View[];
  readonly current: View;
}

export function Navigation({ session, hub, views, current }: NavigationProps) {
  return (
    <header class="side-bar">
      <p class="brand">
        <Icon path={icons.mark} />
        <span>Pagewire</span>
      </p>
      <nav aria-label="Console">
        <ul>
          {views.flatMap((view) =>
            view.icon === undefined ? [] : <Entry key={view.path} {...{ hub, view, icon: view.icon, current }} />,
          )}
        </ul>
      </nav>
      <div class="side-foot">
        <a class="side-link" href="/">
          <Icon path={chatIcon} />
          <span>Assistant</span>
        </a>
        {session.info.terminals && (
          <a class="side-link" href="/terminal">
            <Icon path={terminalIcon} />
            <span>Terminal</span>
          </a>
        )}
        <ThemeLink />
        <SignOut session={session} />
      </div>
    </header>
  );
}

interface EntryProps {
  readonly hub: Hub;
  readonly view: View;
  readonly icon: string;
  readonly current: View;
}

function Entry({ hub, view, icon, current }: EntryProps) {
  const count = view.badge?.(hub).value ?? 0;
  return (
    <li>
      <a class="side-link" href={href([view.path])} aria-current={view === current ? "page" : undefined}>
        <Icon path={icon} />
        <span>{view.title}</span>
        {count > 0 && (
          <span class="count" aria-label={`${count} ${count === 1 ? "waits" : "wait"} for you`}>
            {count > 99 ? "99+" : count}
          </span>
        )}
      </a>
    </li>
  );
}

const storage = createSafeStorage(() => localStorage);

function ThemeLink() {
  const [other, choose] = useOtherTheme(storage);
  return (
    <button type="button" class="side-link" title={`Switch to the ${other} theme`} onClick={choose}>
      <Icon path={other === "dark" ? icons.moon : icons.sun} />
      <span>{other === "dark" ? "Dark theme" : "Light theme"}</span>
    </button>
  );
}

function SignOut({ session }: { readonly session: LiveSession }) {
  return (
    <div class="row who">
      <p class="hint cut" title={session.info.principal}>
        Signed in as <strong>{nameOf(session.info)}</strong>
      </p>
      <Button kind="quiet" small onClick={() => void session.signOut()}>
        Sign out
      </Button>
    </div>
  );
}

const chatIcon = "M2.5 3.5h11v7.5h-6L4.500 13.500V11h-2z";
const terminalIcon = "M2.500 3.500h11v9h-11zM5 6.500l2 1.750-2 1.750M8.500 10H11";
