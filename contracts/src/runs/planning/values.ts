/** Constants of plans and previews. */

export const STRATEGIES = ["mo", "class", "node-class", "join"] as const;

/** Rows that a preview shows. */
export const PREVIEW_ROWS = 50;
