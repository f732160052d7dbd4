// The inbox: everything that waits for the user, the oldest first.
import { useEffect, useRef } from "preact/hooks";
import { messageOf } from "pagewire/wire";
import { Empty, Loading, toast } from "../../../common/src/ui/index.ts";
import type { ViewProps } from "../frame/view.ts";
import { inboxOf } from "./inbox.ts";
import type { Answer, Inbox, Wait } from "./inbox.ts";
import { NotifyButton } from "./notify.tsx";
import { WaitCard } from "./wait-card.tsx";
import { subjectOf } from "./words.ts";

export function Waits({ hub, session }: ViewProps) {
  const inbox = inboxOf(hub, session);
  const waits = inbox.waits.value;
  const more = inbox.more.value;
  const list = useRef<HTMLUListElement>(null);
  useEndedToasts(inbox);

  if (!waits)
    return inbox.problem.value === undefined ? (
      <Loading>Reading what waits for you</Loading>
    ) : (
      <p class="notice warn" role="alert">
        What waits for you could not be read: {inbox.problem.value}
      </p>
    );
  return (
    <div class="stack waits">
      <div class="row waits-bar">
        <p class="hint" role="status">
          {summaryOf(waits.length + more)}
        </p>
        <NotifyButton />
      </div>
      {!inbox.mayAnswer.value && <MayNotAnswer isJwt={session.info.mode !== "local"} />}
      {waits.length === 0 ? (
        <Empty title="Nothing waits for you" icon={doneIcon}>
          Approvals, questions of tools and pages, pages of new origins and changed tools appear here, whichever agent
          they come from. To be asked about calls, add a rule under Rules.
        </Empty>
      ) : (
        <ul class="stack wait-list" ref={list} onKeyDown={(event) => moveFocus(event, list.current)}>
          {waits.map((wait) => (
            <li key={wait.id}>
              <WaitCard wait={wait} inbox={inbox} answer={(answer) => send(inbox, wait, answer)} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="hint">{more} more wait where they were asked, and are listed once there is room.</p>}
    </div>
  );
}

async function send(inbox: Inbox, wait: Wait, answer: Answer): Promise<boolean> {
  try {
    await inbox.answer(wait, answer);
    return true;
  } catch (error) {
    toast({ text: `${subjectOf(wait)}: ${messageOf(error)}`, tone: "bad" });
    return false;
  }
}

/** Shows who answered a wait that disappears. */
function useEndedToasts(inbox: Inbox): void {
  const known = useRef<ReadonlyMap<string, Wait>>(new Map());
  const waits = inbox.waits.value;
  const ended = inbox.ended.value;
  useEffect(() => {
    for (const { id, said } of ended) {
      const wait = known.current.get(id);
      if (wait && !waits?.some((each) => each.id === id)) toast(`${subjectOf(wait)}: ${said}`);
    }
    known.current = new Map((waits ?? []).map((wait) => [wait.id, wait]));
  }, [waits, ended]);
}

function MayNotAnswer({ isJwt }: { readonly isJwt: boolean }) {
  return (
    <div class="notice warn">
      <p>
        This sign-in may look and not answer: it was made with the token that agents have. Open the console again with{" "}
        <code>npx pagewire open console</code>, which shows that it is you
        {isJwt && (
          <>
            {" "}
            once your token for <code>pagewire:terminal</code> is in <code>PAGEWIRE_SHELL_KEY</code>
          </>
        )}
        .
      </p>
    </div>
  );
}

/** Arrows lead from card to card. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const cards = [...(list?.querySelectorAll<HTMLElement>("article") ?? [])];
  const at = cards.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  cards[at + step]?.focus();
}

function summaryOf(count: number): string {
  return count === 0
    ? ""
    : count === 1
      ? "1 decision waits for you."
      : `${count} decisions wait for you, the oldest first.`;
}

const doneIcon = "M2.500 9.500h3l1 2h3l1-2h3M2.500 9.500v4h11v-4l-2-6h-7z";
