/** Constants of query categories. */

export const DEFAULT_CATEGORY_COLOR = "#64748b";
