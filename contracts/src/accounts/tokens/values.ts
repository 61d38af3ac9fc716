/** Constants of API tokens. */

/** What every secret begins with, so that scanners of source code can recognise it. */
export const TOKEN_PREFIX = "weft_pat_";
/** The life of a token that names none, unless a lower bound is set. */
export const TOKEN_USUAL_DAYS = 90;
export const TOKEN_ADDRESSES_MAX = 100;
