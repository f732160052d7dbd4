import type { Session } from "../../../common/src/session/session.ts";

/** The way to change the rules for a user whose sign-in may not. */
export function OwnersOnly({ session, command }: { readonly session: Session; readonly command: string }) {
  return (
    <p class="notice info">
      {session.info.mode !== "local" ? (
        <span>
          Others use this hub, too. Its owner changes this on its machine: <code>{command}</code>
        </span>
      ) : (
        <span>
          Only the hub's owner changes this. Run <code>npx pagewire open</code> on its machine: it signs you in here as
          the owner. Or run <code>{command}</code> there.
        </span>
      )}
    </p>
  );
}
