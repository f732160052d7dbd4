import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { icons } from "../icons.ts";
import { Button } from "./button.tsx";

/**
 * Whether the side of a page is open: on narrow screens it slides over the rest, which then is `inert`. The page sees to that.
 */
export function createSide() {
  const isOpen = signal(false);
  const pending: (() => void)[] = [];
  return {
    isOpen,
    pending,
    /** Until the page is drawn again, nothing behind the side can take the focus: `then` runs after that. */
    close(then: () => void): void {
      if (!isOpen.value) return then();
      pending.push(then);
      isOpen.value = false;
    },
  };
}

export interface SideProps {
  readonly side: ReturnType<typeof createSide>;
  /** Its heading. */
  readonly name: string;
}

/** Opens the side, and has the focus after it was closed. */
export function SideButton({ side: { isOpen }, name }: SideProps) {
  return (
    <Button
      kind="quiet"
      class="menu"
      icon={icons.menu}
      label={name}
      aria-controls="side"
      aria-expanded={isOpen.value}
      onClick={() => (isOpen.value = true)}
    />
  );
}

/** A part at the side of the page. */
export function Side({ side, name, children }: SideProps & { readonly children: ComponentChildren }) {
  const element = useRef<HTMLElement>(null);
  const isOpen = side.isOpen.value;
  /** It slides when it is opened and closed, and not when the window becomes narrow. */
  const slides = useRef(false);
  slides.current ||= isOpen;
  const leave = (): void => side.close(() => document.querySelector<HTMLElement>(".menu")?.focus());
  useLayoutEffect(() => {
    if (!isOpen) for (const then of side.pending.splice(0)) then();
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    element.current?.querySelector<HTMLElement>(".side-close")?.focus();
    const isWide = matchMedia("(min-width: 900px)");
    isWide.addEventListener("change", leave);
    return () => isWide.removeEventListener("change", leave);
  }, [isOpen]);
  return (
    <>
      <nav
        ref={element}
        class={`side${slides.current ? " slides" : ""}${isOpen ? " open" : ""}`}
        id="side"
        aria-label={name}
        onKeyDown={({ key }) => key === "Escape" && isOpen && leave()}
      >
        <div class="side-head">
          <h2>{name}</h2>
          <Button
            kind="quiet"
            class="side-close"
            icon={icons.close}
            label={`Close the ${name.toLowerCase()}`}
            onClick={leave}
          />
        </div>
        {children}
      </nav>
      {isOpen && <div class="scrim" onClick={leave} />}
    </>
  );
}
