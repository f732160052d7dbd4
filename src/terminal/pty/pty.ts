/** The part of node-pty's interface that is used; compatible packages have it too. */
export interface PtyLike {
  readonly pid: number;
  /** The master's descriptor and the slave's device: undocumented, but present in all of the packages. */
  readonly fd?: number;
  readonly ptsName?: string;
  onData(listener: (data: string | Uint8Array) => void): unknown;
  onExit(listener: (exit: { readonly exitCode: number; readonly signal?: number }) => void): unknown;
  write(data: string): void;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
}

/** Options for opening a pseudo terminal; `encoding: null` returns bytes. */
export interface PtyOptions {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly encoding: null;
}

/** Starts a program in a new pseudo terminal. */
export type SpawnPty = (file: string, args: string[], options: PtyOptions) => PtyLike;
