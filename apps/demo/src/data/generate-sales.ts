// Makes up the sales of a coffee roaster: growth, a weekly rhythm, one campaign and one outage.
// The same seed and last day always give the same orders. Knows nothing of the page that shows them.
import { channels, products, regions, unitCents } from "./catalogue.ts";
import type { Channel, Order, Product, Region, Sales, VisitCount } from "./catalogue.ts";
import { lastDays, listDays, weekdayOf } from "./calendar.ts";

const firstNames =
  "Ada Amara Anders Aiko Beatriz Bruno Camille Chidi Clara Daniel Dalia Elif Emil Esther Farah Felix Freya Gabriel Hana Hugo Ines Ivan Jasmin Jonas Kenji Kira Lars Leila Lucia Marco Maya Mila Nadia Nils Noor Oscar Paula Priya Rafael Rosa Samir Sofia Tariq Theo Uma Valeria Wen Yara Yusuf Zoe".split(
    " ",
  );
const lastNames =
  "Abe Adeyemi Aguilar Andersen Baker Bauer Becker Bianchi Brandt Castillo Chen Costa Dubois Duarte Eklund Engel Farouk Fischer Flores Fontaine Garcia Green Haddad Hansen Hassan Herrera Hoffmann Ito Ivanov Jansen Kaya Keller Khan Kim Kowalski Larsen Lopez Marin Martins Meyer Mori Moreau Nakamura Nguyen Novak Okafor Olsen Park Patel Pereira Rahman Reyes Rossi Santos Sato Schmidt Silva Suzuki Tanaka Virtanen".split(
    " ",
  );

/** How many different customers there are. */
const customerCount = firstNames.length * lastNames.length;

/** The name of a customer, by number: two numbers never share a name. */
function customerName(number: number): string {
  const last = Math.floor(number / firstNames.length);
  // Shifting the first name by the last keeps neighbours in the list from being a family.
  const first = (number + last * 7) % firstNames.length;
  return `${firstNames[first]} ${lastNames[last % lastNames.length]}`;
}

const historyDays = 360;
const ordersPerDay = 52;
const firstOrderNumber = 20_418;

/** Days before the last one. */
const campaign = { starts: 54, days: 11 };
const outage = 17;

const weekdayFactor = [0.86, 1.12, 1.06, 1.0, 1.03, 1.14, 0.79];
const quantities: readonly (readonly [number, number])[] = [
  [1, 68],
  [2, 21],
  [3, 8],
  [4, 3],
];
const regionWeight: Readonly<Record<Region, number>> = {
  Europe: 38,
  "North America": 31,
  "Asia Pacific": 17,
  "Latin America": 9,
  "Middle East": 5,
};
const channelWeight: Readonly<Record<Channel, number>> = { "Web shop": 54, "Mobile app": 29, Marketplace: 17 };
const conversion: Readonly<Record<Channel, number>> = { "Web shop": 0.029, "Mobile app": 0.042, Marketplace: 0.031 };

interface DayOfSales {
  readonly date: string;
  /** 0 on the first day, 1 on the last. */
  readonly progress: number;
  readonly orders: number;
  readonly visitsPerOrder: number;
  readonly campaign: boolean;
}

export interface GenerateSalesOptions {
  readonly lastDay: string;
  readonly seed?: number;
}

/** Generates the sales of the 360 days up to `lastDay`: twice the longest period, so that each has one before it. */
export function generateSales({ lastDay, seed = 7337 }: GenerateSalesOptions): Sales {
  const random = createRandom(seed);
  const { from } = lastDays(lastDay, historyDays);
  const orders: Order[] = [];
  const visits: VisitCount[] = [];
  listDays(from, lastDay).forEach((date, index) => {
    const day = planDay(date, index, random);
    const sold = Array.from({ length: day.orders }, (_, place) =>
      makeOrder(day, firstOrderNumber + orders.length + place, random),
    );
    orders.push(...sold);
    visits.push(...countVisits(day, sold, random));
  });
  return { firstDay: from, lastDay, orders, visits };
}

function planDay(date: string, index: number, random: () => number): DayOfSales {
  const fromEnd = historyDays - 1 - index;
  const progress = index / (historyDays - 1);
  const intoCampaign = campaign.starts - fromEnd;
  const inCampaign = intoCampaign >= 0 && intoCampaign < campaign.days;
  const lift = inCampaign ? 1.9 - (0.6 * intoCampaign) / campaign.days : 1;
  const down = fromEnd === outage ? 0.12 : 1;
  const noise = 0.9 + random() * 0.2;
  const growth = 0.72 + 0.5 * progress;
  const expected = ordersPerDay * growth * (weekdayFactor[weekdayOf(date)] ?? 1) * noise;
  return {
    date,
    progress,
    orders: Math.round(expected * lift * down),
    // A campaign attracts people who only look; in the outage they could not buy.
    visitsPerOrder: (inCampaign ? 1.18 : 1) * (fromEnd === outage ? 4.2 : 1) * (1.05 - 0.1 * progress),
    campaign: inCampaign,
  };
}

function makeOrder(day: DayOfSales, number: number, random: () => number): Order {
  const product = pickWeighted(random, productWeights(day));
  const quantity = pickWeighted(random, quantities);
  const pool = Math.floor(customerCount * (0.5 + 0.5 * day.progress));
  // The power makes some customers regulars.
  const customer = Math.floor(pool * random() ** 1.5);
  return {
    id: `H${number}`,
    date: day.date,
    customer: customerName(customer),
    product,
    // A customer has one region.
    region: pickWeighted(createRandom(customer + 1), weightsOf(regions, regionWeight)),
    channel: pickWeighted(random, weightsOf(channels, channelWeight)),
    quantity,
    cents: unitCents[product] * quantity,
  };
}

function productWeights(day: DayOfSales): readonly (readonly [Product, number])[] {
  const weight: Readonly<Record<Product, number>> = {
    "House Blend": 30,
    "Single Origin": 24 - 5 * day.progress,
    "Cold Brew Kit": 9 + 9 * day.progress,
    "Pour-over Set": 13,
    "Hand Grinder": 8 + 3 * day.progress,
    "Gift Box": day.campaign ? 26 : 8,
  };
  return weightsOf(products, weight);
}

function weightsOf<Name extends string>(names: readonly Name[], weight: Readonly<Record<Name, number>>) {
  return names.map((name) => [name, weight[name]] as const);
}

function countVisits(day: DayOfSales, orders: readonly Order[], random: () => number): VisitCount[] {
  return regions.flatMap((region) =>
    channels.map((channel) => {
      const sold = orders.filter((order) => order.region === region && order.channel === channel).length;
      const expected = ((sold + 0.4) / conversion[channel]) * day.visitsPerOrder * (0.92 + random() * 0.16);
      return { date: day.date, region, channel, visits: Math.max(sold, Math.round(expected)) };
    }),
  );
}

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of the choices, by their weights. */
function pickWeighted<Choice>(random: () => number, choices: readonly (readonly [Choice, number])[]): Choice {
  let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  const last = choices.at(-1);
  if (last === undefined) throw new Error("There is nothing to pick from: pass at least one choice.");
  return last[0];
}
