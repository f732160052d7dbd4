export interface WcBindableProperty {
  readonly name: string;
  /** The event of a change of the property. */
  readonly event: string;
  /** Reads the new value from the event; its `detail` when left out. */
  // oxlint-disable-next-line no-explicit-any -- the contract: a getter names the event that it reads
  readonly getter?: (event: any) => unknown;
}

export interface WcBindableInput {
  readonly name: string;
  readonly attribute?: string;
}

export interface WcBindableCommand {
  readonly name: string;
  readonly async?: boolean;
}

/** The declaration in a class's `static wcBindable`. */
export interface WcBindableDeclaration {
  readonly protocol: "wc-bindable";
  readonly version: 1;
  readonly properties: readonly WcBindableProperty[];
  readonly inputs?: readonly WcBindableInput[];
  readonly commands?: readonly WcBindableCommand[];
}
