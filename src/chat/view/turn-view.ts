/** The view of one turn. */
export interface TurnView<Shown> {
  readonly element: HTMLElement;
  update(turn: Shown): void;
  close(): void;
}
