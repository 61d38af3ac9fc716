/** Constants of the model explorer. */

export const MATCHES = ["exact", "dn", "prefix", "alias", "label", "substring", "description", "fuzzy"] as const;
export type Match = (typeof MATCHES)[number];
