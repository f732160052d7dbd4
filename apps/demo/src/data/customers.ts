const firstNames =
  "Ada Amara Anders Aiko Beatriz Bruno Camille Chidi Clara Daniel Dalia Elif Emil Esther Farah Felix Freya Gabriel Hana Hugo Ines Ivan Jasmin Jonas Kenji Kira Lars Leila Lucia Marco Maya Mila Nadia Nils Noor Oscar Paula Priya Rafael Rosa Samir Sofia Tariq Theo Uma Valeria Wen Yara Yusuf Zoe".split(
    " ",
  );
const lastNames =
  "Abe Adeyemi Aguilar Andersen Baker Bauer Becker Bianchi Brandt Castillo Chen Costa Dubois Duarte Eklund Engel Farouk Fischer Flores Fontaine Garcia Green Haddad Hansen Hassan Herrera Hoffmann Ito Ivanov Jansen Kaya Keller Khan Kim Kowalski Larsen Lopez Marin Martins Meyer Mori Moreau Nakamura Nguyen Novak Okafor Olsen Park Patel Pereira Rahman Reyes Rossi Santos Sato Schmidt Silva Suzuki Tanaka Virtanen".split(
    " ",
  );

/** How many different customers there are. */
export const customerCount = firstNames.length * lastNames.length;

/** The name of a customer, by number: two numbers never share a name. */
export function customerName(number: number): string {
  const last = Math.floor(number / firstNames.length);
  // Shifting the first name by the last keeps neighbours in the list from being a family.
  const first = (number + last * 7) % firstNames.length;
  return `${firstNames[first]} ${lastNames[last % lastNames.length]}`;
}
