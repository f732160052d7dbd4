/** Letters of the id before every message of the floor. In a module of its own, so that a hub holds no answers. */
export const idLength = 8;
