import { crc32, deflateRawSync } from "node:zlib";

/** The first day that a zip can name, so that equal files are an equal zip. */
const day = (1 << 5) | 1;
const utf8 = 0x0800;
const deflated = 8;

/** A zip of these files, by their paths in it: the same bytes for the same files. */
export function zip(files) {
  const entries = [...files.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, bytes] of entries) {
    const name = Buffer.from(path);
    const data = deflateRawSync(bytes, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(utf8, 2);
    common.writeUInt16LE(deflated, 4);
    common.writeUInt16LE(day, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    parts.push(signature(0x04034b50), common, name, data);
    directory.push(signature(0x02014b50), Buffer.from([20, 0]), common, rest, name);
    offset += 4 + common.length + name.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, signature(0x06054b50), end]);
}

function signature(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
