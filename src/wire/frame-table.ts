import type { Fielded, Fields } from "./fields.ts";

/** The frames that one side may send, by type, each with the fields of its header. Types and parsing follow from it. */
export type FrameTable = Readonly<Record<string, Fields>>;

type FrameOf<Table extends FrameTable> = {
  [Type in keyof Table & string]: { readonly type: Type } & Fielded<Table[Type]>;
}[keyof Table & string];

/** The union of the frames in a table. */
export type FrameIn<Table extends FrameTable> = FrameOf<{ -readonly [Type in keyof Table]: Table[Type] }>;
