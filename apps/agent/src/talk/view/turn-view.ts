/** What shows one turn, for as long as the turn is there. */
export interface TurnView<Shown> {
  readonly element: HTMLElement;
  update(turn: Shown): void;
  close(): void;
}
