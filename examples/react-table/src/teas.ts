export const kinds = ["green", "oolong", "black", "white", "pu-erh", "herbal"] as const;

export type Kind = (typeof kinds)[number];

export interface Tea {
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
  readonly origin: string;
  /** Euros for 100 g. */
  readonly price: number;
  /** Kilograms. */
  readonly stock: number;
}

const rows: readonly (readonly [string, Kind, string, number, number])[] = [
  ["Sencha Fukuyu", "green", "Japan", 7.9, 14],
  ["Gyokuro Asahi", "green", "Japan", 24.5, 2],
  ["Bancha", "green", "Japan", 4.2, 31],
  ["Genmaicha", "green", "Japan", 5.6, 18],
  ["Longjing", "green", "China", 16.8, 6],
  ["Bi Luo Chun", "green", "China", 18.4, 0],
  ["Jeju Sejak", "green", "Korea", 19.9, 3],
  ["Tie Guan Yin", "oolong", "China", 12.4, 9],
  ["Da Hong Pao", "oolong", "China", 21.0, 4],
  ["Dong Ding", "oolong", "Taiwan", 14.6, 7],
  ["Oriental Beauty", "oolong", "Taiwan", 26.0, 1],
  ["Milk Oolong", "oolong", "Taiwan", 13.2, 0],
  ["Darjeeling First Flush", "black", "India", 15.5, 8],
  ["Assam Mokalbari", "black", "India", 6.4, 27],
  ["Nilgiri Korakundah", "black", "India", 7.2, 12],
  ["Ceylon Uva", "black", "Sri Lanka", 6.1, 22],
  ["Keemun", "black", "China", 9.8, 10],
  ["Lapsang Souchong", "black", "China", 8.7, 5],
  ["Kenya Milima", "black", "Kenya", 5.3, 34],
  ["Bai Mu Dan", "white", "China", 11.9, 11],
  ["Silver Needle", "white", "China", 28.5, 2],
  ["Shou Mei", "white", "China", 8.2, 0],
  ["Sheng 2016", "pu-erh", "China", 17.3, 6],
  ["Shu 2012", "pu-erh", "China", 14.9, 9],
  ["Rooibos", "herbal", "South Africa", 3.9, 40],
  ["Honeybush", "herbal", "South Africa", 4.6, 16],
  ["Chamomile", "herbal", "Egypt", 3.4, 25],
  ["Peppermint", "herbal", "Morocco", 3.2, 29],
  ["Lemon Verbena", "herbal", "Spain", 5.8, 0],
];

export const teas: readonly Tea[] = rows.map(([name, kind, origin, price, stock]) => ({
  id: name.toLowerCase().replaceAll(" ", "-"),
  name,
  kind,
  origin,
  price,
  stock,
}));
